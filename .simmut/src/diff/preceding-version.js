import { nameOf } from '../model/id.js';
import { textMember } from '../model/json.js';
import { changedFields } from './fields.js';
/**
 * The locked version that a new one comes after, and what differs: the one that contracts of the plan were deployed
 * from and are now to come from the new one; else the newest of its project. Undefined for the first of a project.
 */
export function precedingVersion(version, inputs, { plan, state }) {
    const entries = state.lock?.entries ?? new Map();
    const locked = [...entries.values()].filter(({ kind, id }) => kind === 'version' && projectOf(id) === projectOf(version.id));
    const left = plan.resources.flatMap((resource) => resource.kind === 'contract' && 'version' in resource.inputs && resource.inputs.version === version.id
        ? (textMember(entries.get(resource.id)?.inputs, 'version') ?? [])
        : []);
    const newest = locked.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
    const before = locked.find(({ id }) => id === left[0]) ?? newest;
    if (before === undefined)
        return undefined;
    const fields = changedFields(before.inputs, inputs).filter(({ path }) => path !== 'name');
    return { id: before.id, fields };
}
function projectOf(id) {
    return nameOf(id).replace(/@[^@]*$/, '');
}
