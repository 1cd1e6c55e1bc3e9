import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import { MARKER_TRAIT } from '../protocol/endpoint.js';
import type { Adoption, AdoptionView, Appraisal } from './adoption.js';
import { idText, itemsOf } from './listing.js';
import type { ReadAnswer } from './operation.js';
import { gradeOf, readReceipt, sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';

/** A certificate by its token id: minted to the receiver, with our mark where one was sent. */
export const adoptCertificate: Adoption = {
  names: ['token'],
  form: 'NUMBER',
  fact: true,
  adoptable: true,
  next: (view, answers) => {
    const query = { contract_address: textMember(view.inputs, 'contract') ?? '', status: 'success' };
    if (answers.length === 0) return [{ type: 'service', endpoint: 'certificate.list', query }];
    const entry = mintOf(view, answers[0]);
    const url = textMember(entry, 'certificate');
    const hash = textMember(entry, 'transactionHash');
    if (answers.length > 1 || url === undefined || hash === undefined) return [];
    const receipt = canReadReceipts(view.abilities) ? [{ type: 'receipt', hash } as const] : [];
    return [{ type: 'file', url }, ...receipt];
  },
  appraise: (view, [list, document, receipt]) => {
    const tokenId = view.given['token'] ?? '';
    if (list?.type !== 'found')
      return { type: 'unseen', outputs: { tokenId }, reason: 'the certificates cannot be read' };
    const entry = mintOf(view, list);
    const text = document?.type === 'found' ? member(document.value, 'json') : undefined;
    const reason = againstMint(view, entry, text) ?? againstReceipt(receipt);
    if (reason !== undefined) return { type: 'contradicted', reason };
    return shownMint(tokenId, textMember(entry, 'transactionHash'), receipt, text);
  },
};

function shownMint(
  tokenId: string,
  transaction: string | undefined,
  receipt: ReadAnswer | undefined,
  document: Json | undefined,
): Appraisal {
  return {
    type: 'shown',
    grade: receipt?.type === 'found' ? gradeOf(receipt) : 'B',
    outputs: { tokenId, ...(transaction !== undefined && { transaction }) },
    shown: textsIn(document, ['name', 'description']),
  };
}

function againstMint(
  view: AdoptionView,
  entry: JsonObject | undefined,
  document: Json | undefined,
): string | undefined {
  if (entry === undefined) return `the platform lists no certificate with token ${view.given['token'] ?? ''}`;
  if (!sameAddress(textMember(entry, 'to_wallet'), textMember(view.inputs, 'to')))
    return 'the certificate was minted to another wallet';
  return carriesMark(view, document) ? undefined : 'the certificate does not carry the mark of this step';
}

function againstReceipt(answer: ReadAnswer | undefined): string | undefined {
  const receipt = answer?.type === 'found' ? readReceipt(answer.value) : undefined;
  return receipt?.succeeded === false ? 'the chain reverted the mint' : undefined;
}

function mintOf(view: AdoptionView, list: ReadAnswer | undefined): JsonObject | undefined {
  return itemsOf(list).find(
    (item) => idText(item['nft_token_id']) === view.given['token'] && item['is_mint'] !== 0,
  );
}

/** False only when a mark was sent, the document can be read, and it holds another or none. */
function carriesMark({ context }: AdoptionView, document: Json | undefined): boolean {
  const attributes = member(document, 'attributes');
  const mark = context['marker'];
  if (mark === undefined || !Array.isArray(attributes)) return true;
  return (attributes as readonly Json[])
    .filter(isJsonObject)
    .some((item) => (item['trait'] ?? item['trait_type']) === MARKER_TRAIT && item['value'] === mark);
}

function textsIn(value: Json | undefined, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textMember(value, key);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}
