import { canonicalJson } from '../model/canonical.js';
import type { ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { resourcesById } from '../model/resource-map.js';
import type { Abilities, Kind, Knowledge, Observation, Sighting } from '../kinds/kind.js';
import type { ReadAnswer, ReadRequest } from '../kinds/operation.js';
import { kindNamed } from '../kinds/registry.js';
import type { LockEntry } from '../state/lock.js';
import type { LineageState } from '../state/project.js';
import { gather } from './gather.js';
import type { Service } from './ports.js';

/** Knowledge about a plan's resources on top of what the lock holds. Live: later events show. */
export function knowledgeOf(plan: Plan, state: LineageState, abilities: Abilities): Knowledge {
  const resources = resourcesById(plan.resources);
  const entryOf = entryFinder(plan, state);
  return {
    abilities,
    resource: (id) => resources.get(id),
    outputs: (id) => entryOf(id)?.outputs,
  };
}

/** Finds the entry that a resource has in the lock, under its old id if the plan moves it. */
function entryFinder(plan: Plan, state: LineageState): (id: ResourceId) => LockEntry | undefined {
  const oldIds = new Map(
    (Object.entries(plan.moved) as [ResourceId, ResourceId][]).map(([from, to]) => [to, from]),
  );
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
export async function survey(
  plan: Plan,
  state: LineageState,
  abilities: Abilities,
  service: Pick<Service, 'read'> | undefined,
): Promise<ReadonlyMap<ResourceId, Observation>> {
  if (service === undefined) return new Map();
  const knowledge = knowledgeOf(plan, state, abilities);
  const once = readOnce(service);
  const entryOf = entryFinder(plan, state);
  const seen = new Map<ResourceId, Observation>();
  const looks: Promise<void>[] = [];
  const see = async (sighting: Sighting, kind: Kind): Promise<void> => {
    const answers = await gather(once, (sofar) => kind.observe({ ...sighting, answers: sofar }));
    note(seen, kind, { ...sighting, answers });
  };
  for (const resource of plan.resources) {
    const kind = kindNamed(resource.kind);
    if (kind.isExisting(resource)) continue;
    const sighting = { resource, entry: entryOf(resource.id), knowledge, answers: NOTHING };
    // Most of a large plan may have nothing to ask.
    if (kind.observe(sighting).length === 0) note(seen, kind, sighting);
    else looks.push(see(sighting, kind));
  }
  await Promise.all(looks);
  return seen;
}

const NOTHING: readonly ReadAnswer[] = [];

/** What nobody asked about is not noted. */
function note(seen: Map<ResourceId, Observation>, kind: Kind, sighting: Sighting): void {
  const observation = kind.seen(sighting);
  if (observation.sight !== 'not-asked') seen.set(sighting.resource.id, observation);
}

function readOnce(service: Pick<Service, 'read'>): Pick<Service, 'read'> {
  const asked = new Map<string, Promise<ReadAnswer>>();
  return {
    read: (request: ReadRequest) => {
      const key = canonicalJson(request);
      const known = asked.get(key) ?? service.read(request);
      asked.set(key, known);
      return known;
    },
  };
}
