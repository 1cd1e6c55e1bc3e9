import { digestOfBytes } from '../model/canonical.js';
import { textMember, type JsonObject } from '../model/json.js';
import type { Outputs } from '../state/event.js';
import type { Adoption, AdoptionView, Appraisal } from './adoption.js';
import { idText, itemsOf } from './listing.js';
import type { ReadAnswer, ReadRequest } from './operation.js';
import { gradeOf, readReceipt, sameAddress, tokenTransfers, type ReceiptFacts } from './receipt.js';
import { canReadReceipts } from './transaction.js';

/** A record by its transaction; signer, contract and metadata must be those that were sent. */
export const adoptAuditRecord: Adoption = transactionAdoption({
  listing: ({ context }) => ({
    type: 'service',
    endpoint: 'audit.transactions',
    query: {
      wallet_address: textMember(context, 'signer') ?? '',
      contract_address: textMember(context, 'contract') ?? '',
      filter: 'from',
      status: 'success',
    },
  }),
  fits: (receipt, { context }) =>
    sameAddress(receipt.from, textMember(context, 'signer')) &&
    sameAddress(receipt.to, textMember(context, 'contract')),
  entryFits: (entry, { context }) => {
    const metadata = textMember(entry, 'metadata');
    return metadata === undefined || digestOfBytes(metadata) === context['metadata'];
  },
  outputs: (entry) => {
    const hash = textMember(entry, 'metadatahash');
    return hash === undefined ? {} : { metadatahash: hash };
  },
});

/** A transfer by its transaction: the token, the sender and the receiver must be those that were sent. */
export const adoptTransfer: Adoption = transactionAdoption({
  listing: ({ context }) => ({
    type: 'service',
    endpoint: 'certificate.list',
    query: {
      to: textMember(context, 'to') ?? '',
      contract_address: textMember(context, 'contract') ?? '',
      status: 'success',
    },
  }),
  fits: (receipt, { context }) =>
    tokenTransfers(receipt, textMember(context, 'contract') ?? '').some(
      (moved) =>
        moved.tokenId === context['tokenId'] &&
        sameAddress(moved.from, textMember(context, 'from')) &&
        sameAddress(moved.to, textMember(context, 'to')),
    ),
  entryFits: (entry, { context }) => idText(entry['nft_token_id']) === context['tokenId'],
  outputs: () => ({}),
});

interface TransactionRules {
  readonly listing: (view: AdoptionView) => ReadRequest;
  readonly fits: (receipt: ReceiptFacts, view: AdoptionView) => boolean;
  readonly entryFits: (entry: JsonObject, view: AdoptionView) => boolean;
  readonly outputs: (entry: JsonObject | undefined) => Outputs;
}

function transactionAdoption(rules: TransactionRules): Adoption {
  return {
    names: ['tx'],
    form: '0x…',
    fact: true,
    adoptable: false,
    next: (view, answers) => {
      if (answers.length > 0) return [];
      const hash = view.given['tx'] ?? '';
      return [
        rules.listing(view),
        ...(canReadReceipts(view.abilities) ? [{ type: 'receipt', hash } as const] : []),
      ];
    },
    appraise: (view, [list, receipt]) => appraiseTransaction(rules, view, list, receipt),
  };
}

function appraiseTransaction(
  rules: TransactionRules,
  view: AdoptionView,
  list: ReadAnswer | undefined,
  answer: ReadAnswer | undefined,
): Appraisal {
  const tx = view.given['tx'] ?? '';
  const entry = itemsOf(list).find((item) => sameAddress(textMember(item, 'transactionHash'), tx));
  const outputs = { ...rules.outputs(entry), transaction: tx };
  const reason = againstEntry(rules, view, list, entry) ?? againstReceipt(rules, view, answer);
  if (reason !== undefined) return { type: 'contradicted', reason };
  if (answer?.type === 'found') return { type: 'shown', grade: gradeOf(answer), outputs, shown: {} };
  if (entry !== undefined) return { type: 'shown', grade: 'B', outputs, shown: {} };
  return { type: 'unseen', outputs, reason: 'neither the list nor the receipt can be read' };
}

function againstEntry(
  rules: TransactionRules,
  view: AdoptionView,
  list: ReadAnswer | undefined,
  entry: JsonObject | undefined,
): string | undefined {
  if (list?.type !== 'found') return undefined;
  if (entry === undefined) return 'the platform does not list the transaction';
  return rules.entryFits(entry, view) ? undefined : OTHER;
}

function againstReceipt(
  rules: TransactionRules,
  view: AdoptionView,
  answer: ReadAnswer | undefined,
): string | undefined {
  if (answer === undefined || answer.type === 'unreadable') return undefined;
  const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
  if (receipt === undefined) return 'there is no such transaction in a block';
  if (!receipt.succeeded) return 'the chain reverted the transaction';
  return rules.fits(receipt, view) ? undefined : OTHER;
}

const OTHER = 'the transaction did something else';
