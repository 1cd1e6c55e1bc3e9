import { textMember } from '../model/json.js';
import { shownInstances } from './constructor.js';
import { itemsOf, objectOf } from './listing.js';
import { gradeOf, readReceipt, sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';
/** A contract instance by its address, and by the transaction that made it, too. */
export const adoptContract = contractAdoption({
    listing: ({ context, abilities }) => {
        const versionSlug = textMember(context, 'versionSlug');
        const projectSlug = textMember(context, 'projectSlug');
        if (versionSlug === undefined)
            return undefined;
        if (abilities.capabilities.has('instances')) {
            return { type: 'service', endpoint: 'instance.list', query: { 'filter-version': versionSlug } };
        }
        if (projectSlug === undefined)
            return undefined;
        return { type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } };
    },
    listed: (answer, address) => {
        const item = itemsOf(answer).find((entry) => sameAddress(textMember(entry, 'contract_address'), address));
        const name = textMember(item, 'contract_name') ??
            shownInstances(objectOf(answer) ?? {}).find((instance) => sameAddress(instance.address, address))?.name;
        return name === undefined ? undefined : { contract: name };
    },
    // The version's detail leaves contracts without events out.
    whole: ({ abilities }) => abilities.capabilities.has('instances'),
    deployer: ({ context }) => context['wallet'],
    fact: true,
});
/** An audit contract by its address. */
export const adoptAuditContract = contractAdoption({
    listing: ({ abilities }) => abilities.capabilities.has('lists') ? { type: 'service', endpoint: 'audit.contract.list' } : undefined,
    listed: (answer, address) => named(answer, address, 'name'),
    whole: () => true,
    deployer: () => undefined,
    fact: false,
});
/** A certificate contract by its address. */
export const adoptCertificateContract = contractAdoption({
    listing: ({ abilities }) => abilities.capabilities.has('lists')
        ? { type: 'service', endpoint: 'certificate.contract.list' }
        : undefined,
    listed: (answer, address) => named(answer, address, 'nickname'),
    whole: () => true,
    deployer: ({ inputs }) => inputs['deployer'],
    fact: false,
});
function named(answer, address, member) {
    const item = itemsOf(answer).find((entry) => sameAddress(textMember(entry, 'contract_address'), address));
    const name = textMember(item, 'contract_name');
    return item && (name === undefined ? {} : { [member]: name });
}
function contractAdoption(rules) {
    return {
        names: ['address', 'tx'],
        form: '0x…',
        fact: rules.fact,
        adoptable: true,
        next: (view, answers) => (answers.length > 0 ? [] : readsOf(rules, view).map(({ request }) => request)),
        appraise: (view, answers) => appraise(rules, view, answers),
    };
}
function readsOf(rules, view) {
    const { given, abilities } = view;
    const { tx, address = '' } = given;
    const listing = rules.listing(view);
    return [
        ...(tx !== undefined && canReadReceipts(abilities)
            ? [{ reading: 'receipt', request: { type: 'receipt', hash: tx } }]
            : []),
        ...(abilities.chain ? [{ reading: 'code', request: { type: 'code', address } }] : []),
        ...(listing === undefined ? [] : [{ reading: 'listing', request: listing }]),
    ];
}
function appraise(rules, view, answers) {
    const address = view.given['address'] ?? '';
    const tx = view.given['tx'];
    const outputs = { address, ...(tx !== undefined && { transaction: tx }) };
    const grades = [];
    let shown = {};
    for (const [index, { reading }] of readsOf(rules, view).entries()) {
        const answer = answers[index];
        if (answer === undefined || answer.type === 'unreadable')
            continue;
        const against = contradiction(reading, answer, { rules, view, address });
        if (against !== undefined)
            return { type: 'contradicted', reason: against };
        if (reading === 'receipt')
            grades.push(gradeOf(answer));
        const listed = reading === 'listing' ? rules.listed(answer, address) : undefined;
        if (listed === undefined)
            continue;
        shown = listed;
        grades.push('B');
    }
    const [grade] = grades.sort();
    return grade === undefined
        ? { type: 'unseen', outputs, reason: 'no read here shows whose contract it is' }
        : { type: 'shown', grade, outputs, shown };
}
/** Why an answer speaks against the contract; undefined when it does not. */
function contradiction(reading, answer, { rules, view, address, }) {
    if (reading === 'code')
        return answer.type === 'absent' ? `there is no code at ${address}` : undefined;
    if (reading === 'listing') {
        const missing = answer.type === 'found' && rules.listed(answer, address) === undefined;
        return missing && rules.whole(view) ? `the platform does not list ${address}` : undefined;
    }
    return againstReceipt(answer, address, rules.deployer(view));
}
function againstReceipt(answer, address, deployer) {
    const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
    if (receipt === undefined)
        return 'there is no such transaction in a block';
    if (!receipt.succeeded)
        return 'the chain reverted the transaction';
    if (!sameAddress(receipt.contractAddress, address))
        return `the transaction did not make ${address}`;
    return typeof deployer === 'string' && !sameAddress(receipt.from, deployer)
        ? `the transaction was signed by ${receipt.from}, not by ${deployer}`
        : undefined;
}
