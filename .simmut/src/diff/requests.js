import { isPlaceholder, referencesOf } from '../model/value.js';
/**
 * Groups resources into requests: contracts of one deployment share a request unless the service's token could not
 * express what they need of one another; then, and everything else, one request each. In the order of `resources`,
 * a shared request at the place of its first contract.
 *
 * @param alone deployments whose contracts must not share
 */
export function groupRequests(resources, alone) {
    const members = new Map();
    for (const resource of resources.filter(isDeploying)) {
        const { deployment } = resource.inputs;
        const group = members.get(deployment);
        if (group === undefined)
            members.set(deployment, [resource]);
        else
            group.push(resource);
    }
    const shared = [...members].filter(([deployment, group]) => !alone.has(deployment) && canShare(group));
    const groupOf = new Map(shared.flatMap(([, group]) => group.map(({ id }) => [id, group])));
    return resources.flatMap((resource) => {
        const group = groupOf.get(resource.id);
        if (group === undefined)
            return [[resource]];
        return group[0]?.id === resource.id ? [group] : [];
    });
}
/**
 * The service knows a contract of the request by its Solidity name, so two instances of one contract cannot share; and
 * it replaces a token only where it is a whole top-level parameter, as its sample shows.
 */
function canShare(group) {
    const ids = new Set(group.map(({ id }) => id));
    const names = new Set(group.map(({ inputs }) => inputs.contract));
    return (group.length > 1 && names.size === group.length && group.every(({ inputs }) => isExpressible(inputs, ids)));
}
function isExpressible({ params }, siblings) {
    return Object.values(params).every((value) => {
        const whole = isPlaceholder(value) && value.$placeholder.length === 1;
        return whole || referencesOf(value).every((id) => !siblings.has(id));
    });
}
function isDeploying(resource) {
    return resource.kind === 'contract' && 'deployment' in resource.inputs;
}
