import { fillPlaceholders, publicView } from '../model/value.js';
import { invariant } from '../model/error.js';
import { canonicalJson } from '../model/canonical.js';
/** The address of a resource where it is known: named in the plan, or among its outputs. */
export function knownAddress(knowledge, id) {
    const inputs = knowledge.resource(id)?.inputs;
    if (inputs !== undefined && 'address' in inputs && typeof inputs.address === 'string')
        return inputs.address;
    return knowledge.outputs(id)?.address;
}
/** The literal address of an input whose dependencies are settled. */
export function settledAddress(view, input) {
    const filled = fillPlaceholders(input, (id) => view.addressOf(id));
    invariant(typeof filled === 'string', 'an address input is filled to a string');
    return filled;
}
/** Public inputs with every address filled in: what the lock keeps of a resource. */
export function settledInputs(view, inputs) {
    return publicView(fillPlaceholders(inputs, (id) => view.addressOf(id)));
}
/** The lane of a signing wallet: equal for every spelling of the same input. */
export function walletLane(input) {
    return `wallet:${typeof input === 'string' ? input.toLowerCase() : canonicalJson(input)}`;
}
/** The one resource that a step of this kind makes. */
export function onlyResource(view, kind) {
    const [resource] = view.resources;
    invariant(resource?.kind === kind && view.resources.length === 1, `the step is for one ${kind}`);
    return resource;
}
