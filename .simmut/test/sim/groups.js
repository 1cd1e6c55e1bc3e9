import { groupOf } from './truth.js';
const known = new WeakMap();
/** The groups of a plan. */
export function groupsOf(plan) {
    const earlier = known.get(plan);
    if (earlier !== undefined)
        return earlier;
    const byId = new Map(plan.resources.map((resource) => [resource.id, resource]));
    const nameOfToken = (id) => {
        const inputs = byId.get(id)?.inputs;
        return inputs !== undefined && 'name' in inputs ? inputs.name : id;
    };
    const groups = new Map();
    const members = new Map();
    for (const resource of plan.resources) {
        const group = groupOf(resource, nameOfToken);
        if (group === undefined)
            continue;
        groups.set(resource.id, group);
        members.set(group, [...(members.get(group) ?? []), resource.id]);
    }
    const made = { of: (id) => groups.get(id), members };
    known.set(plan, made);
    return made;
}
