import { canonicalJson } from '../model/canonical.js';
import { resourcesById } from '../model/resource-map.js';
import { kindNamed } from '../kinds/registry.js';
import { gather } from './gather.js';
/** Knowledge about a plan's resources on top of what the lock holds. Live: later events show. */
export function knowledgeOf(plan, state, abilities) {
    const resources = resourcesById(plan.resources);
    const entryOf = entryFinder(plan, state);
    return {
        abilities,
        resource: (id) => resources.get(id),
        outputs: (id) => entryOf(id)?.outputs,
    };
}
/** Finds the entry that a resource has in the lock, under its old id if the plan moves it. */
function entryFinder(plan, state) {
    const oldIds = new Map(Object.entries(plan.moved).map(([from, to]) => [to, from]));
    return (id) => {
        const entries = state.lock?.entries;
        const old = oldIds.get(id);
        return entries?.get(id) ?? (old === undefined ? undefined : entries?.get(old));
    };
}
/**
 * Looks at every resource of a plan. Equal reads are made once; nothing is written. What nobody asked
 * about is not in the answer.
 *
 * @param service undefined for `--offline`: nothing is asked and everything is `not-asked`
 */
export async function survey(plan, state, abilities, service) {
    if (service === undefined)
        return new Map();
    const knowledge = knowledgeOf(plan, state, abilities);
    const once = readOnce(service);
    const entryOf = entryFinder(plan, state);
    const seen = new Map();
    const looks = [];
    const see = async (sighting, kind) => {
        const answers = await gather(once, (sofar) => kind.observe({ ...sighting, answers: sofar }));
        note(seen, kind, { ...sighting, answers });
    };
    for (const resource of plan.resources) {
        const kind = kindNamed(resource.kind);
        if (kind.isExisting(resource))
            continue;
        const sighting = { resource, entry: entryOf(resource.id), knowledge, answers: NOTHING };
        // Most of a large plan may have nothing to ask.
        if (kind.observe(sighting).length === 0)
            note(seen, kind, sighting);
        else
            looks.push(see(sighting, kind));
    }
    await Promise.all(looks);
    return seen;
}
const NOTHING = [];
/** What nobody asked about is not noted. */
function note(seen, kind, sighting) {
    const observation = kind.seen(sighting);
    if (observation.sight !== 'not-asked')
        seen.set(sighting.resource.id, observation);
}
function readOnce(service) {
    const asked = new Map();
    return {
        read: (request) => {
            const key = canonicalJson(request);
            const known = asked.get(key) ?? service.read(request);
            asked.set(key, known);
            return known;
        },
    };
}
