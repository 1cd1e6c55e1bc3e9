import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../model/json.js';
import { idText } from '../listing.js';
import type { ReadAnswer } from '../operation.js';
import { readReceipt, sameAddress } from '../receipt.js';
import type { Difference, Other } from './difference.js';

/** Listed things whose maker is asked for at once; more that look alike are no release. */
export const MOST_ASKED = 16;

/** A listed thing that may be the effect of a step, with what was read of it. */
export interface Listed {
  readonly item: JsonObject;
  /** Its receipt or its document; undefined where none was read. */
  readonly answer: ReadAnswer | undefined;
}

/** Things that may be those of the step, and those that somebody else made. */
export interface Sorted {
  readonly own: readonly JsonObject[];
  readonly others: readonly Other[];
}

/** Sorts listed things by what shows that somebody else made them; what shows nothing may be our own. */
export function sortListed(
  listed: readonly Listed[],
  what: string,
  differencesOf: (one: Listed) => readonly Difference[],
): Sorted {
  const own: JsonObject[] = [];
  const others: Other[] = [];
  for (const one of listed) {
    const [first, ...rest] = differencesOf(one);
    const name =
      textMember(one.item, 'contract_address') ??
      textMember(one.item, 'transactionHash') ??
      idText(one.item['id']) ??
      '';
    if (first === undefined) own.push(one.item);
    else others.push({ what, name, differs: [first, ...rest] });
  }
  return { own, others };
}

/** True when a receipt shows that another wallet than the given one sent the transaction. */
export function isSentByAnother(answer: ReadAnswer | undefined, wallet: string | undefined): boolean {
  const receipt = answer?.type === 'found' ? readReceipt(answer.value) : undefined;
  return receipt !== undefined && wallet !== undefined && !sameAddress(receipt.from, wallet);
}

/** True when a listed text is there and is not the one that was sent. */
export function textDiffers(item: JsonObject, key: string, sent: Json | undefined): boolean {
  const shown = textMember(item, key);
  return shown !== undefined && typeof sent === 'string' && shown !== sent;
}

/**
 * True when the document of a token says something else than what was sent: its name, its description, or it lacks an
 * attribute. A service may add attributes of its own.
 */
export function documentDiffers(answer: ReadAnswer | undefined, sent: JsonObject): boolean {
  const document = answer?.type === 'found' ? member(answer.value, 'json') : undefined;
  if (!isJsonObject(document)) return false;
  if (['name', 'description'].some((key) => textDiffers(document, key, sent[key]))) return true;
  const shown = pairsOf(document['attributes']);
  const wanted = pairsOf(sent['attributes']);
  return shown !== undefined && wanted !== undefined && [...wanted].some((pair) => !shown.has(pair));
}

/** Each attribute as one text; undefined when one of them has another form. */
function pairsOf(attributes: Json | undefined): ReadonlySet<string> | undefined {
  if (!Array.isArray(attributes)) return undefined;
  const pairs = (attributes as readonly Json[]).map((item) => {
    const trait = textMember(item, 'trait') ?? textMember(item, 'trait_type');
    const value = idText(member(item, 'value'));
    return trait === undefined || value === undefined ? undefined : JSON.stringify([trait, value]);
  });
  return pairs.every((pair) => pair !== undefined) ? new Set(pairs) : undefined;
}
