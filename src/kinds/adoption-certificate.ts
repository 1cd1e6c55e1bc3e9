import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import { MARKER_TRAIT } from '../protocol/endpoint.js';
import type { Adoption, AdoptionView } from './adoption.js';
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
    if (url === undefined || hash === undefined) return [];
    const receipt = canReadReceipts(view.abilities) ? [{ type: 'receipt', hash } as const] : [];
    if (answers.length === 1) return [{ type: 'file', url }, ...receipt];
    const image = textMember(documentIn(answers[1]), 'image');
    return image === undefined || answers.length > 2 + receipt.length ? [] : [{ type: 'file', url: image }];
  },
  appraise: (view, answers) => {
    const [list, document] = answers;
    const receipt = canReadReceipts(view.abilities) ? answers[2] : undefined;
    const image = answers[receipt === undefined ? 2 : 3];
    const tokenId = view.given['token'] ?? '';
    if (list?.type !== 'found')
      return { type: 'unseen', outputs: { tokenId }, reason: 'the certificates cannot be read' };
    const entry = mintOf(view, list);
    const text = documentIn(document);
    const reason = againstMint(view, entry, text) ?? againstReceipt(receipt);
    if (reason !== undefined) return { type: 'contradicted', reason };
    const transaction = textMember(entry, 'transactionHash');
    return {
      type: 'shown',
      grade: receipt?.type === 'found' ? gradeOf(receipt) : 'B',
      outputs: { tokenId, ...(transaction !== undefined && { transaction }) },
      shown: { ...shownByList(view), ...shownBySigner(view, receipt), ...shownByDocument(view, text, image) },
    };
  },
};

/** The token was looked for in this contract, and who received it was compared. */
function shownByList({ inputs }: AdoptionView): JsonObject {
  return pick(inputs, ['contract', 'to']);
}

/** Only the owner mints; the contract may have another one by now. */
function shownBySigner({ inputs }: AdoptionView, answer: ReadAnswer | undefined): JsonObject {
  const receipt = answer?.type === 'found' ? readReceipt(answer.value) : undefined;
  return sameAddress(receipt?.from, textMember(inputs, 'owner')) ? pick(inputs, ['owner']) : {};
}

/** What the token's document says, our mark aside, and the digest of the image that it names. */
function shownByDocument(
  { inputs }: AdoptionView,
  document: Json | undefined,
  image: ReadAnswer | undefined,
): JsonObject {
  if (document === undefined) return {};
  const attributes = member(document, 'attributes');
  const digest = image?.type === 'found' ? textMember(image.value, 'digest') : undefined;
  return {
    ...textsIn(document, ['name', 'description']),
    ...(Array.isArray(attributes) && {
      attributes: (attributes as readonly Json[]).filter(isJsonObject).flatMap(attributeIn),
      ...pick(inputs, ['marker']),
    }),
    ...(digest !== undefined && { image: digest }),
  };
}

function attributeIn(item: JsonObject): readonly JsonObject[] {
  const trait = item['trait'] ?? item['trait_type'] ?? null;
  return trait === MARKER_TRAIT ? [] : [{ trait, value: item['value'] ?? null }];
}

function documentIn(answer: ReadAnswer | undefined): Json | undefined {
  return answer?.type === 'found' ? member(answer.value, 'json') : undefined;
}

function pick(inputs: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])),
  );
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
