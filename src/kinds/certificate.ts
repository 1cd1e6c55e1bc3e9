import { recordOf } from '../model/id.js';
import { invariant } from '../model/error.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Resource } from '../model/resource.js';
import { MARKER_TRAIT, MINT_TIERS } from '../protocol/endpoint.js';
import type { Outputs } from '../state/event.js';
import { inputText } from '../state/packed-entry.js';
import type { Kind, Observation } from './kind.js';
import { onlyResource, settledAddress, settledInputs, walletLane } from './knowledge.js';
import { idText, itemsOf, namesBefore, newItems, only } from './listing.js';
import type { Known, Operation, ReadAnswer, ReadRequest } from './operation.js';
import { byDocument, documentReads } from './maker/minted.js';
import { sameAddress, tokenTransfers, type ReceiptFacts } from './receipt.js';
import { transactionHash, transactionOperation } from './transaction.js';

/** Of very many rows. */
const PRESENT: Observation = { sight: 'present' };
const ABSENT: Observation = { sight: 'absent' };

/** One NFT certificate: a row of a batch. Minted once; an edited row does not change a minted token. */
export const certificate: Kind<'certificate'> = {
  name: 'certificate',
  verb: 'create',
  irreversible: true,
  isExisting: () => false,
  comparable: ({ inputs }) => ({ ...inputs, image: inputs.image.digest }),
  observe: ({ entry, answers }) => {
    const contract = answers.length > 0 ? undefined : inputText(entry, 'contract');
    return contract === undefined ? [] : [mintsRead(contract)];
  },
  seen: ({ entry, answers: [answer] }) => {
    if (entry === undefined || answer === undefined) return { sight: 'not-asked' };
    if (answer.type === 'unreadable') return { sight: 'unreadable', unreadable: answer.message };
    return tokensIn(answer).has(textMember(entry.outputs, 'tokenId') ?? '') ? PRESENT : ABSENT;
  },
  differs: () => ({
    action: 'blocked',
    reason: 'the row changed after its certificate was minted, and a minted certificate cannot be changed',
    fix: 'restore the row, or give the corrected one a key of its own',
  }),
  provable: () => true,
  operation: () => 'certificate.mint',
  lane: ({ inputs }) => walletLane(inputs.owner),
};

const tokenSets = new WeakMap<ReadAnswer, ReadonlySet<string>>();

/** Token ids in a list answer; computed once per answer, because a batch asks it for each row. */
function tokensIn(answer: ReadAnswer): ReadonlySet<string> {
  const known = tokenSets.get(answer);
  if (known) return known;
  const tokens = new Set(itemsOf(answer).map((item) => idText(item['nft_token_id']) ?? ''));
  tokenSets.set(answer, tokens);
  return tokens;
}

/** Mints a certificate through the endpoint that its image size needs. */
export const mintCertificate: Operation = transactionOperation({
  tier: 'fact',
  shared: ['wallet_address', 'contract_address'],
  prepare: (view, answers) => {
    const { inputs } = onlyResource(view, 'certificate');
    // A marker identifies the token by itself; without one the pre-image must.
    if (inputs.marker === 'attribute' || answers.length > 0) return [];
    return [ownedRead(settledAddress(view, inputs.contract), settledAddress(view, inputs.to))];
  },
  request: (view, answers) => {
    const { id, inputs } = onlyResource(view, 'certificate');
    const contract = settledAddress(view, inputs.contract);
    const to = settledAddress(view, inputs.to);
    const marker = inputs.marker === 'attribute' ? [{ trait: MARKER_TRAIT, value: view.key }] : [];
    const tier = MINT_TIERS.find(({ maxBytes }) => inputs.image.sizeBytes <= maxBytes);
    invariant(tier !== undefined, 'the plan refused larger images');
    return {
      type: 'write',
      request: {
        endpoint: tier.endpoint,
        params: {},
        body: {
          wallet_address: settledAddress(view, inputs.owner),
          to,
          contract_address: contract,
          name: inputs.name,
          description: inputs.description,
          attributes: JSON.stringify([...inputs.attributes, ...marker]),
        },
        files: [{ field: 'file', filename: fileName(inputs.image.path), file: inputs.image }],
        takesCallback: true,
      },
      context: {
        contract,
        to,
        ...(inputs.marker === 'attribute'
          ? { marker: view.key }
          : { name: inputs.name, before: namesBefore(answers[0], 'transactionHash') }),
      },
      inputs: recordOf(
        id,
        settledInputs(view, certificate.comparable({ inputs } as Resource<'certificate'>)),
      ),
    };
  },
  accept: (result) => {
    const tokenId = idText(member(result, 'nft_token_id'));
    return tokenId === undefined || textMember(result, 'transactionHash') === undefined
      ? undefined
      : { tokenId };
  },
  fromReceipt: (receipt, known) => mintedIn(receipt, known),
  listing: (known, _abilities, listed) => {
    const contract = textMember(known.context, 'contract') ?? '';
    // One list for all receivers of a batch: each settled mint asks for it.
    if (listed.length === 0 && known.surplus) return [mintsRead(contract)];
    if (listed.length === 0) return [ownedRead(contract, textMember(known.context, 'to') ?? '')];
    if (transactionHash(known) !== undefined || listed.length > 1) return [];
    const isMarked = known.context['marker'] !== undefined;
    if (!isMarked) return documentReads(newMints(known, listed[0]));
    return candidates(known, listed[0]).map(({ url }): ReadRequest => ({ type: 'file', url }));
  },
  fromListing: (known, [list, ...documents]) => {
    const hash = transactionHash(known);
    const item =
      hash === undefined
        ? lostMint(known, list, documents)
        : itemsOf(list).find((entry) => sameAddress(textMember(entry, 'transactionHash'), hash));
    const transaction = textMember(item, 'transactionHash');
    const tokenId = idText(item?.['nft_token_id']);
    return transaction === undefined || tokenId === undefined ? undefined : { tokenId, transaction };
  },
  candidates: (known, [list, ...documents]) => {
    if (known.context['marker'] !== undefined)
      return candidates(known, list).flatMap(({ item }, index) =>
        isGarbled(documents[index]) ? [item] : [],
      );
    const mints = newMints(known, list);
    return known.surplus ? byDocument(known, mints, documents).own : mints;
  },
  others: (known, [list, ...documents]) =>
    known.context['marker'] === undefined ? byDocument(known, newMints(known, list), documents).others : [],
  fromCallback: (_facts, known) => {
    const tokenId = textMember(known.ids, 'tokenId');
    return tokenId === undefined ? undefined : { tokenId };
  },
});

/** The token that this receipt minted to our receiver. */
function mintedIn(receipt: ReceiptFacts, known: Known): Outputs | undefined {
  const to = textMember(known.context, 'to');
  const minted = tokenTransfers(receipt, textMember(known.context, 'contract') ?? '').find(
    (transfer) => BigInt(transfer.from) === 0n && sameAddress(transfer.to, to),
  );
  return minted && { tokenId: minted.tokenId };
}

function lostMint(
  known: Known,
  list: ReadAnswer | undefined,
  documents: readonly ReadAnswer[],
): JsonObject | undefined {
  const marker = known.context['marker'];
  if (marker === undefined) return only(byDocument(known, newMints(known, list), documents).own);
  return candidates(known, list).find((_candidate, index) => carriesMarker(documents[index], marker))?.item;
}

/** New mints to our receiver, where no mark tells them apart. */
function newMints(known: Known, list: ReadAnswer | undefined): readonly JsonObject[] {
  return newItems(list, 'transactionHash', known).filter((item) => isMintFor(item, known));
}

/** Mints that could be the lost one, with their documents, in the order of the list. */
function candidates(
  known: Known,
  list: ReadAnswer | undefined,
): readonly { readonly item: JsonObject; readonly url: string }[] {
  return itemsOf(list).flatMap((item) => {
    const url = textMember(item, 'certificate');
    const hash = textMember(item, 'transactionHash');
    return url === undefined || hash === undefined || !isMintFor(item, known) || known.isTaken(hash)
      ? []
      : [{ item, url }];
  });
}

/** A mint to our receiver. Lists hold transfers too; entries without the member are mints. */
function isMintFor(item: JsonObject, { context }: Known): boolean {
  const to = textMember(context, 'to');
  const isMint = item['is_mint'] !== 0 && item['is_mint'] !== false;
  return isMint && sameAddress(textMember(item, 'to_wallet') ?? to, to);
}

/** It came, but not as a document: whether it carries a marker cannot be told. */
function isGarbled(document: ReadAnswer | undefined): boolean {
  return document?.type === 'found' && member(document.value, 'json') === undefined;
}

function carriesMarker(document: ReadAnswer | undefined, marker: Json): boolean {
  const attributes =
    document?.type === 'found' ? member(member(document.value, 'json'), 'attributes') : undefined;
  if (!Array.isArray(attributes)) return false;
  return (attributes as readonly Json[]).some(
    (item) =>
      isJsonObject(item) &&
      (item['trait'] ?? item['trait_type']) === MARKER_TRAIT &&
      item['value'] === marker,
  );
}

function mintsRead(contract: string): ReadRequest {
  const query = { contract_address: contract, status: 'success' };
  return { type: 'service', endpoint: 'certificate.list', query };
}

function ownedRead(contract: string, to: string): ReadRequest {
  return {
    type: 'service',
    endpoint: 'certificate.list',
    query: { to, contract_address: contract, status: 'success' },
  };
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
