import { WindlassError } from '../model/error.js';
import { kindOf, parseCertificateId } from '../model/id.js';
/** Nothing left out and nothing forced. */
export const EVERYTHING = { targets: [], excludes: [], replaces: [] };
const ALL = { partial: false, isChosen: () => true, isReplaced: () => false };
/**
 * Resolves a selection.
 *
 * @throws CHANGE_UNKNOWN_ID for an id that neither plan nor lock holds
 */
export function choose(resources, locked, selection) {
    if (Object.values(selection).every((named) => named.length === 0))
        return ALL;
    const ids = [...new Set([...resources.map(({ id }) => id), ...locked])];
    const expand = (texts) => new Set(texts.flatMap((text) => matching(text, ids, resources)));
    const targets = withDependencies(expand(selection.targets), resources);
    const excludes = withDependents(expand(selection.excludes), resources);
    const replaces = expand(selection.replaces);
    return {
        partial: true,
        isChosen: (id) => (selection.targets.length === 0 || targets.has(id)) && !excludes.has(id),
        isReplaced: (id) => replaces.has(id),
    };
}
function matching(text, ids, resources) {
    const members = resources.filter((resource) => resource.kind === 'contract' && 'deployment' in resource.inputs && resource.inputs.deployment === text);
    const rows = ids.filter((id) => kindOf(id) === 'certificate' && `certificate.${parseCertificateId(id)?.batch}` === text);
    const found = [...ids.filter((id) => id === text), ...members.map(({ id }) => id), ...rows];
    if (found.length === 0)
        throw new WindlassError('CHANGE_UNKNOWN_ID', `Neither plan nor lockfile holds ${text}.`);
    return found;
}
function withDependencies(chosen, resources) {
    // Dependencies come first in plan order, so one pass from the end reaches all of them.
    for (const { id, dependsOn } of resources.toReversed())
        if (chosen.has(id))
            for (const needed of dependsOn)
                chosen.add(needed);
    return chosen;
}
function withDependents(excluded, resources) {
    for (const { id, dependsOn } of resources)
        if (dependsOn.some((needed) => excluded.has(needed)))
            excluded.add(id);
    return excluded;
}
