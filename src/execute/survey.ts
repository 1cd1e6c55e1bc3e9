import { canonicalJson } from '../model/canonical.js';
import type { ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { resourcesById } from '../model/resource-map.js';
import type { Abilities, Knowledge, Observation, Sighting } from '../kinds/kind.js';
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
  const entryOf = entryFinder(plan, state);
  const looks = new Looks(readOnce(service));
  for (const resource of plan.resources) {
    if (kindNamed(resource.kind).isExisting(resource)) continue;
    looks.begin({ resource, entry: entryOf(resource.id), knowledge, answers: NOTHING });
  }
  return looks.finish();
}

const NOTHING: readonly ReadAnswer[] = [];

/** The looks of a survey: most of a large plan may have nothing to ask, or all the same. */
class Looks {
  readonly #service: Pick<Service, 'read'>;
  readonly #seen = new Map<ResourceId, Observation>();
  readonly #looks: Promise<void>[] = [];
  /** By the first read, when it is one: who waits for its answer. */
  readonly #waiting = new Map<string, Sighting[]>();

  constructor(service: Pick<Service, 'read'>) {
    this.#service = service;
  }

  begin(sighting: Sighting): void {
    const requests = kindNamed(sighting.resource.kind).observe(sighting);
    const [request] = requests;
    if (request === undefined) this.#note(sighting);
    else if (requests.length > 1) this.#looks.push(this.#look(sighting));
    else this.#wait(request, sighting);
  }

  /** What was seen, once all reads were answered. */
  async finish(): Promise<ReadonlyMap<ResourceId, Observation>> {
    await Promise.all(this.#looks);
    return this.#seen;
  }

  #wait(request: ReadRequest, sighting: Sighting): void {
    const key = canonicalJson(request);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.push(sighting);
      return;
    }
    const sightings = [sighting];
    this.#waiting.set(key, sightings);
    this.#looks.push(this.#lookAt(request, sightings));
  }

  async #lookAt(request: ReadRequest, sightings: readonly Sighting[]): Promise<void> {
    const answers = [await this.#service.read(request)];
    const unfinished: Promise<void>[] = [];
    for (const sighting of sightings) {
      const answered = { ...sighting, answers };
      if (kindNamed(sighting.resource.kind).observe(answered).length === 0) this.#note(answered);
      else unfinished.push(this.#look(sighting));
    }
    await Promise.all(unfinished);
  }

  async #look(sighting: Sighting): Promise<void> {
    const kind = kindNamed(sighting.resource.kind);
    const answers = await gather(this.#service, (sofar) => kind.observe({ ...sighting, answers: sofar }));
    this.#note({ ...sighting, answers });
  }

  /** What nobody asked about is not noted. */
  #note(sighting: Sighting): void {
    const { id, kind } = sighting.resource;
    const observation = kindNamed(kind).seen(sighting);
    if (observation.sight !== 'not-asked') this.#seen.set(id, observation);
  }
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
