import { textMember } from '../model/json.js';
import { shownInstances } from './constructor.js';
import { callbackAbout, claimedContracts, contractsOf, } from './deployment-claim.js';
import { failedDeployment, newError } from './deployment-failure.js';
import { itemsOf, objectOf, only, textList } from './listing.js';
import { undecidedAmong } from './operation.js';
import { readReceipt, sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';
/**
 * Reads that show what a deploy request made, all at once: the version (its error and instances), the instances of the
 * deployment where the service filters so, code at addresses predicted by us or the receipts that callbacks named.
 */
export function proveDeployment(known, answers, abilities) {
    return answers.length > 0 ? [] : [...platformReads(known, abilities), ...chainReads(known, abilities)];
}
function chainReads(known, abilities) {
    const predicted = [...textList(known.context['predicted'])];
    if (predicted.length > 0)
        return abilities.chain ? predicted.map((address) => ({ type: 'code', address })) : [];
    if (!canReadReceipts(abilities))
        return [];
    const hashes = contractsOf(known.context).flatMap(({ artifact }) => claimedContracts(known, artifact).flatMap(({ hash }) => hash ?? []));
    return [...new Set(hashes)].map((hash) => ({ type: 'receipt', hash }));
}
/** Confirmed when every contract of the request has its own new instance; failed when the service shows an error and fewer. */
export function judgeDeployment(known, answers, abilities) {
    const contracts = contractsOf(known.context);
    const shown = takeApart(known, answers, abilities);
    const predicted = predictedOutputs(known, contracts, shown.rest);
    if (predicted !== undefined)
        return { type: 'confirmed', grade: 'A', outputs: predicted };
    const found = contracts.flatMap((contract) => sightContract(contract, known, shown, abilities) ?? []);
    const outputs = Object.fromEntries(found.map(({ id, outputs: made }) => [id, made]));
    const grade = found.map((sighting) => sighting.grade).reduce((a, b) => (a > b ? a : b), 'A');
    if (found.length < contracts.length) {
        const failed = failedDeployment(known, shown, outputs);
        if (failed === undefined)
            return undecidedAmong(shown.instances);
        return { ...failed, grade: grade > failed.grade ? grade : failed.grade };
    }
    return { type: 'confirmed', grade, outputs };
}
function platformReads(known, { capabilities }) {
    const projectSlug = textMember(known.context, 'projectSlug') ?? '';
    const versionSlug = textMember(known.context, 'versionSlug') ?? '';
    const detail = {
        type: 'service',
        endpoint: 'version.detail',
        params: { projectSlug, versionSlug },
    };
    if (!capabilities.has('instances'))
        return [detail];
    const id = textMember(known.ids, 'deploymentId');
    const query = id === undefined ? { 'filter-version': versionSlug } : { 'filter-deployment_id': id };
    return [detail, { type: 'service', endpoint: 'instance.list', query }];
}
function takeApart(known, answers, abilities) {
    const before = new Set([...textList(known.context['before'])].map((address) => address.toLowerCase()));
    const asked = platformReads(known, abilities).length;
    const detail = objectOf(answers[0]);
    const list = asked > 1 ? answers[1] : undefined;
    const all = list?.type === 'found' ? listedInstances(list) : shownInstances(detail ?? {});
    return {
        detail,
        instances: all.filter(({ address }) => !before.has(address.toLowerCase()) && !known.isTaken(address)),
        scoped: list?.type === 'found' && known.ids['deploymentId'] !== undefined,
        whole: list?.type === 'found',
        rest: answers.slice(asked),
    };
}
/**
 * One contract as the platform shows it. Instances of other requests look the same, so an instance counts when it is in
 * this deployment's list, when a callback names it, or when it is the only one and no other request could have made it.
 */
function sightContract(contract, known, shown, abilities) {
    const claims = claimedContracts(known, contract.artifact);
    const instance = instanceOf(contract, claims, known, shown);
    if (instance === undefined) {
        const unlisted = !contract.events && !abilities.capabilities.has('instances');
        return unlisted ? sightUnlisted(contract, claims, known, shown) : undefined;
    }
    const proof = receiptFor(shown.rest, instance.address);
    const hash = proof?.hash ?? claims.find(({ address }) => sameAddress(address, instance.address))?.hash;
    const outputs = { address: instance.address, ...(hash !== undefined && { transaction: hash }) };
    return { id: contract.id, outputs, grade: proof?.onChain === true ? 'A' : 'B' };
}
function instanceOf(contract, claims, known, shown) {
    const named = shown.instances.filter((item) => item.name === contract.name);
    const claimed = named.find((item) => claims.some(({ address }) => sameAddress(address, item.address)));
    if (claimed !== undefined)
        return claimed;
    return shown.scoped || !hasRival(contract, known) ? only(named) : undefined;
}
/**
 * A contract without events, which the version's detail does not list: only a callback tells its address. Its receipt
 * proves it when the deploying wallet signed it; without receipts it counts once the version shows that it was deployed,
 * or the error that the same callback tells.
 */
function sightUnlisted({ id }, claims, known, { rest, detail }) {
    const free = claims.filter(({ address }) => !known.isTaken(address));
    for (const { address } of free) {
        const proof = receiptFor(rest, address);
        if (proof !== undefined && sameAddress(proof.from, textMember(known.context, 'wallet')))
            return { id, outputs: { address, transaction: proof.hash }, grade: proof.onChain ? 'A' : 'B' };
    }
    const [claim] = rest.length === 0 ? free : [];
    if (claim === undefined || !isBornOut(known, detail))
        return undefined;
    const hash = claim.hash === undefined ? {} : { transaction: claim.hash };
    return { id, outputs: { address: claim.address, ...hash }, grade: 'C' };
}
/** True when the version shows what the callback about this deployment says: that it was deployed, or its error. */
function isBornOut(known, detail) {
    const deployedAt = textMember(detail, 'last_deployed_at') ?? null;
    const moved = deployedAt !== null && deployedAt !== known.context['deployedBefore'];
    if (moved && callbackAbout(known, 'success') !== undefined)
        return true;
    const failure = callbackAbout(known, 'failed');
    return failure !== undefined && newError(known, detail, failure) !== undefined;
}
function hasRival({ name }, known) {
    return known
        .rivals()
        .filter((rival) => rival.open && rival.context['versionSlug'] === known.context['versionSlug'])
        .some((rival) => contractsOf(rival.context).some((other) => other.name === name));
}
/** Contracts signed locally: code at every predicted address is proof. */
function predictedOutputs(known, contracts, codes) {
    const addresses = [...textList(known.context['predicted'])];
    if (addresses.length !== contracts.length || codes.length < addresses.length)
        return undefined;
    if (!codes.every(fromChain) || addresses.some((address) => known.isTaken(address)))
        return undefined;
    return Object.fromEntries(contracts.map(({ id }, index) => [id, { address: addresses[index] ?? '' }]));
}
function listedInstances(answer) {
    return itemsOf(answer).flatMap((item) => {
        const name = textMember(item, 'contract_name');
        const address = textMember(item, 'contract_address');
        return name === undefined || address === undefined ? [] : [{ name, address }];
    });
}
/** The successful receipt that created the contract at an address. */
function receiptFor(answers, address) {
    for (const answer of answers) {
        const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
        if (receipt?.succeeded === true && sameAddress(receipt.contractAddress, address))
            return { ...receipt, onChain: fromChain(answer) };
    }
    return undefined;
}
function fromChain(answer) {
    return answer.type === 'found' && answer.source === 'chain';
}
