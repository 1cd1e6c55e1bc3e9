import { recordOf } from '../model/id.js';
import { invariant } from '../model/error.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import type { Resource } from '../model/resource.js';
import { inputText } from '../state/packed-entry.js';
import type { Kind } from './kind.js';
import { onlyResource, settledAddress, settledInputs, walletLane } from './knowledge.js';
import { idText, isNew, itemsOf } from './listing.js';
import type { Known, Operation, ReadAnswer, ReadRequest, StepView } from './operation.js';
import { sameAddress, tokenTransfers } from './receipt.js';
import { transactionHash, transactionOperation } from './transaction.js';

/** The hand-over of one certificate from a custodial wallet. Done once; where the token goes afterwards is not ours. */
export const transfer: Kind<'transfer'> = {
  name: 'transfer',
  verb: 'create',
  irreversible: true,
  isExisting: () => false,
  comparable: ({ inputs }) => ({
    ...inputs,
    token: 'ref' in inputs.token ? inputs.token.ref : inputs.token.tokenId,
  }),
  observe: ({ entry, answers }) => {
    if (answers.length > 0) return [];
    const contract = inputText(entry, 'contract');
    const to = inputText(entry, 'to');
    return contract === undefined || to === undefined ? [] : [heldRead(contract, to)];
  },
  seen: ({ entry, answers: [answer] }) => {
    if (entry === undefined || answer === undefined) return { sight: 'not-asked' };
    if (answer.type === 'unreadable') return { sight: 'unreadable', unreadable: answer.message };
    const shown = itemsOf(answer).some((item) =>
      sameAddress(textMember(item, 'transactionHash'), entry.outputs.transaction),
    );
    return { sight: shown ? 'present' : 'absent' };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'a transfer that was made cannot be changed',
    fix: 'declare another transfer, or restore the inputs',
  }),
  provable: () => true,
  operation: () => 'certificate.transfer',
  lane: ({ inputs }) => walletLane(inputs.from),
};

/**
 * Transfers a certificate. The chain refuses a second one, because the sender owns the token no more. A token may have
 * gone the same way before and come back: earlier arrivals are kept with the intent and prove nothing.
 */
export const transferCertificate: Operation = transactionOperation({
  tier: 'fact',
  prepare: (view, answers) => {
    const { inputs } = onlyResource(view, 'transfer');
    return answers.length > 0
      ? []
      : [heldRead(settledAddress(view, inputs.contract), settledAddress(view, inputs.to))];
  },
  request: (view, answers) => {
    const { id, inputs } = onlyResource(view, 'transfer');
    const contract = settledAddress(view, inputs.contract);
    const from = settledAddress(view, inputs.from);
    const to = settledAddress(view, inputs.to);
    const tokenId = tokenIdOf(view, inputs.token);
    return {
      type: 'write',
      request: {
        endpoint: 'certificate.transfer',
        params: {},
        body: { wallet_address: from, to, nft_id: tokenId, contract_address: contract },
        takesCallback: true,
      },
      context: { contract, from, to, tokenId, before: arrivalsBefore(answers[0], tokenId) },
      inputs: recordOf(id, settledInputs(view, transfer.comparable({ inputs } as Resource<'transfer'>))),
    };
  },
  accept: (result) => (textMember(result, 'transactionHash') === undefined ? undefined : {}),
  fromReceipt: (receipt, { context }) => {
    const moved = tokenTransfers(receipt, textMember(context, 'contract') ?? '').some(
      (item) =>
        item.tokenId === context['tokenId'] &&
        sameAddress(item.from, textMember(context, 'from')) &&
        sameAddress(item.to, textMember(context, 'to')),
    );
    return moved ? {} : undefined;
  },
  listing: ({ context }, _abilities, listed) =>
    listed.length > 0
      ? []
      : [heldRead(textMember(context, 'contract') ?? '', textMember(context, 'to') ?? '')],
  fromListing: (known, [answer]) => {
    const hash = transactionHash(known);
    const item = itemsOf(answer).find(
      (entry) =>
        isArrival(entry, known) &&
        (hash === undefined
          ? isNewArrival(entry, known)
          : sameAddress(textMember(entry, 'transactionHash'), hash)),
    );
    const transaction = textMember(item, 'transactionHash');
    return transaction === undefined ? undefined : { transaction };
  },
  fromCallback: () => ({}),
});

function tokenIdOf(view: StepView, token: Resource<'transfer'>['inputs']['token']): string {
  const tokenId = 'ref' in token ? textMember(view.knowledge.outputs(token.ref), 'tokenId') : token.tokenId;
  invariant(tokenId !== undefined, 'a certificate is minted before it is transferred');
  return tokenId;
}

/** Transactions that brought the token to the receiver before; null when they cannot be read. */
function arrivalsBefore(answer: ReadAnswer | undefined, tokenId: string): Json {
  if (answer?.type !== 'found') return null;
  return itemsOf(answer)
    .filter((item) => idText(item['nft_token_id']) === tokenId)
    .flatMap((item) => textMember(item, 'transactionHash') ?? []);
}

function isArrival(entry: JsonObject, { context }: Known): boolean {
  const to = textMember(context, 'to');
  return (
    idText(entry['nft_token_id']) === context['tokenId'] &&
    sameAddress(textMember(entry, 'to_wallet') ?? to, to)
  );
}

/** Not there before, sent by our sender where that is shown, and the effect of no other step. */
function isNewArrival(entry: JsonObject, known: Known): boolean {
  const hash = textMember(entry, 'transactionHash');
  const from = textMember(known.context, 'from');
  if (!sameAddress(textMember(entry, 'from_wallet') ?? from, from)) return false;
  return hash !== undefined && isNew(hash, known.context['before']) && !known.isTaken(hash);
}

function heldRead(contract: string, to: string): ReadRequest {
  return {
    type: 'service',
    endpoint: 'certificate.list',
    query: { to, contract_address: contract, status: 'success' },
  };
}
