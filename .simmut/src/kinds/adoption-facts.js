import { digestOfBytes } from '../model/canonical.js';
import { textMember } from '../model/json.js';
import { idText, itemsOf } from './listing.js';
import { gradeOf, readReceipt, sameAddress, tokenTransfers } from './receipt.js';
import { canReadReceipts } from './transaction.js';
/** A record by its transaction; signer, contract and metadata must be those that were sent. */
export const adoptAuditRecord = transactionAdoption({
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
    fits: (receipt, { context }) => sameAddress(receipt.from, textMember(context, 'signer')) &&
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
export const adoptTransfer = transactionAdoption({
    listing: ({ context }) => ({
        type: 'service',
        endpoint: 'certificate.list',
        query: {
            to: textMember(context, 'to') ?? '',
            contract_address: textMember(context, 'contract') ?? '',
            status: 'success',
        },
    }),
    fits: (receipt, { context }) => tokenTransfers(receipt, textMember(context, 'contract') ?? '').some((moved) => moved.tokenId === context['tokenId'] &&
        sameAddress(moved.from, textMember(context, 'from')) &&
        sameAddress(moved.to, textMember(context, 'to'))),
    entryFits: (entry, { context }) => idText(entry['nft_token_id']) === context['tokenId'],
    outputs: () => ({}),
});
function transactionAdoption(rules) {
    return {
        names: ['tx'],
        form: '0x…',
        fact: true,
        adoptable: false,
        next: (view, answers) => {
            if (answers.length > 0)
                return [];
            const hash = view.given['tx'] ?? '';
            return [
                rules.listing(view),
                ...(canReadReceipts(view.abilities) ? [{ type: 'receipt', hash }] : []),
            ];
        },
        appraise: (view, [list, receipt]) => appraiseTransaction(rules, view, list, receipt),
    };
}
function appraiseTransaction(rules, view, list, answer) {
    const tx = view.given['tx'] ?? '';
    const entry = itemsOf(list).find((item) => sameAddress(textMember(item, 'transactionHash'), tx));
    const outputs = { ...rules.outputs(entry), transaction: tx };
    const reason = againstEntry(rules, view, list, entry) ?? againstReceipt(rules, view, answer);
    if (reason !== undefined)
        return { type: 'contradicted', reason };
    if (answer?.type === 'found')
        return { type: 'shown', grade: gradeOf(answer), outputs, shown: {} };
    if (entry !== undefined)
        return { type: 'shown', grade: 'B', outputs, shown: {} };
    return { type: 'unseen', outputs, reason: 'neither the list nor the receipt can be read' };
}
function againstEntry(rules, view, list, entry) {
    if (list?.type !== 'found')
        return undefined;
    if (entry === undefined)
        return 'the platform does not list the transaction';
    return rules.entryFits(entry, view) ? undefined : OTHER;
}
function againstReceipt(rules, view, answer) {
    if (answer === undefined || answer.type === 'unreadable')
        return undefined;
    const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
    if (receipt === undefined)
        return 'there is no such transaction in a block';
    if (!receipt.succeeded)
        return 'the chain reverted the transaction';
    return rules.fits(receipt, view) ? undefined : OTHER;
}
const OTHER = 'the transaction did something else';
