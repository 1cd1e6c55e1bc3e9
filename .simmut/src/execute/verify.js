import { resourcesById } from '../model/resource-map.js';
import { driftOf } from '../diff/fields.js';
/** Compares every locked resource with what was seen of it. Pure; in id order. */
export function compareLock(plan, state, observations) {
    const planned = resourcesById(plan.resources);
    const entries = [...(state.lock?.entries.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
    const findings = entries.map((entry) => {
        const id = plan.moved[entry.id] ?? entry.id;
        const unasked = planned.has(id) ? NOT_ASKED : undefined;
        return { id: entry.id, finding: compareEntry(entry, observations.get(id) ?? unasked) };
    });
    return {
        matches: findings.flatMap(({ id, finding }) => ('match' in finding ? [id] : [])),
        mismatches: findings.flatMap(({ finding }) => ('mismatch' in finding ? [finding.mismatch] : [])),
        unreadable: findings.flatMap(({ id, finding }) => 'unreadable' in finding ? [{ id, reason: finding.unreadable }] : []),
    };
}
const NOT_ASKED = { sight: 'not-asked' };
function compareEntry(entry, observation) {
    const { id } = entry;
    if (observation === undefined)
        return { unreadable: 'it is no longer in the plan' };
    const { sight, unreadable } = observation;
    if (sight === 'absent')
        return { mismatch: { id, message: 'the platform does not show it', fields: [] } };
    if (sight !== 'present')
        return { unreadable: unreadable ?? 'this environment has no read for it' };
    const fields = driftOf(entry, observation);
    return fields.length === 0
        ? { match: true }
        : { mismatch: { id, message: observation.note ?? 'the platform shows other values', fields } };
}
