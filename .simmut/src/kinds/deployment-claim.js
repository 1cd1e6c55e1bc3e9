import { member, textMember } from '../model/json.js';
import { itemsOf } from './listing.js';
/** The contracts of a request, from its pre-image; in the order of the request. */
export function contractsOf(context) {
    return itemsOf(asAnswer(context['contracts'])).flatMap((item) => {
        const id = textMember(item, 'id');
        const name = textMember(item, 'name');
        const artifact = item['artifact'];
        if (id === undefined || name === undefined)
            return [];
        const number = typeof artifact === 'number' ? artifact : undefined;
        return [{ id: id, name, artifact: number, events: item['events'] !== false }];
    });
}
/** What the callbacks about this deployment say of the contract with an artifact id; the first word of each first. */
export function claimedContracts(known, artifact) {
    return known.callbacks
        .filter((hint) => isAboutUs(hint, known))
        .flatMap((hint) => itemsOf(asAnswer(hint.facts['deployed_contract_addresses'])))
        .filter((item) => item['sc_artifact_id'] === artifact)
        .flatMap((item) => claimOf(item) ?? []);
}
/** The first callback with a claim that names the deployment which the service answered with. */
export function callbackAbout(known, claim) {
    if (known.ids['deploymentId'] === undefined)
        return undefined;
    return known.callbacks.find((hint) => hint.claim === claim && isAboutUs(hint, known));
}
function isAboutUs({ facts }, { ids }) {
    return ids['deploymentId'] === undefined || facts['deployment_id'] === ids['deploymentId'];
}
function claimOf(item) {
    const address = textMember(item, 'contract_address');
    const hash = textMember(member(item, 'receipt'), 'transactionHash');
    return address === undefined ? undefined : { address, hash };
}
function asAnswer(value) {
    return { type: 'found', value: value ?? null, source: 'read' };
}
