import type { Change, ChangeSet } from '../model/change.js';
import { withPlace } from '../model/command-text.js';
import { LOCAL } from '../model/environment.js';
import { kindOf, type ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { resourcesById } from '../model/resource-map.js';
import type { AnyResource } from '../model/resource.js';
import type { Abilities, Observation } from '../kinds/kind.js';
import type { Attempt } from '../state/attempt.js';
import type { LockEntry } from '../state/lock.js';
import type { LineageState } from '../state/project.js';
import { decide } from './decide.js';
import { DecidedChanges } from './decided-changes.js';
import { FoundEntries } from './found-entries.js';
import { blockHandedOver } from './handed-over.js';
import { precedingVersion } from './preceding-version.js';
import { choose, type Selection } from './selection.js';
import { planSteps } from './steps.js';
import { unsettledMember } from './unsettled.js';

/** What the difference is computed from. Nothing else decides it: the same input gives the same change set. */
export interface DiffInput {
  readonly plan: Plan;
  readonly state: LineageState;
  readonly observations: ReadonlyMap<ResourceId, Observation>;
  readonly abilities: Abilities;
  readonly selection: Selection;
  /** `--forget`: what only the lock holds leaves it. */
  readonly forget: boolean;
  /** Resources that the lockfile beside the plan holds and the journal does not know: made elsewhere. */
  readonly strangers?: readonly ResourceId[];
}

/**
 * Computes the change set for a plan.
 *
 * @throws CHANGE_UNKNOWN_ID when a flag names nothing
 */
export function diff(input: DiffInput): ChangeSet {
  const { plan, state } = input;
  const entries = new FoundEntries(plan, state);
  const open = state.openAttempts;
  const strangers = new Set(input.strangers);
  const openFor = new Map(open.flatMap((attempt) => attempt.resources.map((id) => [id, attempt] as const)));
  const openMoved = openMoves(plan, openFor);
  const resources = resourcesById(plan.resources);
  const chosen = choose(plan.resources, entries.ids(), input.selection);
  const decided = new DecidedChanges();
  const stable = (id: ResourceId): string | undefined =>
    namedAddress(resources.get(id)) ?? stableAddress(id, decided, entries, chosen.isChosen);
  const trailOf = (id: ResourceId): readonly ResourceId[] => decided.get(id)?.trail ?? [];
  for (const resource of plan.resources) {
    if (resource.kind === 'deployment') continue;
    const movedFrom = entries.movedFrom(resource.id);
    const entry = entries.get(resource.id);
    const ruled = decide({
      resource,
      entry,
      observation: input.observations.get(resource.id) ?? NOT_ASKED,
      abilities: input.abilities,
      open: openFor.get(resource.id),
      openAs: openMoved.get(resource.id),
      stranger: strangers.has(resource.id),
      replace: chosen.isReplaced(resource.id),
      stableAddress: stable,
      trailOf,
    });
    // What was sent already is looked for, whoever owns the contract by now.
    const change = openFor.has(resource.id) ? ruled : blockHandedOver(ruled, resource, decided);
    const follows =
      resource.kind === 'version' && entry === undefined
        ? precedingVersion(resource, change.inputs, input)
        : undefined;
    const isMore = movedFrom !== undefined || follows !== undefined;
    const more = { ...(movedFrom !== undefined && { movedFrom }), ...(follows && { follows }) };
    decided.add(isMore ? { ...change, ...more } : change, entry !== undefined);
  }
  const changes = decided.all
    .concat(unplanned(entries, decided, input.forget))
    .filter(({ id }) => chosen.isChosen(id))
    .map((change) => (change.fix === undefined ? change : inEnvironment(change, change.fix, plan)));
  const blocked = changes.some(({ action }) => action === 'blocked');
  const leftBehind = changes.filter(({ action, undeclared }) => action === 'none' && undeclared);
  return {
    plan: { name: plan.name, file: plan.file, digest: plan.digest },
    environment: plan.environment.name,
    changes,
    steps: blocked ? [] : planSteps(plan.resources, changes, { open, abilities: input.abilities }),
    partial: chosen.partial,
    notices: [...plan.notices, ...leftBehindNotice(leftBehind.map(({ id }) => id))],
    ...unsettledMember(state),
  };
}

/** A fix that names a command means it for this environment. */
function inEnvironment(change: Change, fix: string, { environment: { name } }: Plan): Change {
  return { ...change, fix: withPlace(fix, { environment: name === LOCAL ? undefined : name }) };
}

const NOT_ASKED: Observation = { sight: 'not-asked' };

/** New ids of resources that have an open attempt under their old id, with that id. */
function openMoves(
  plan: Plan,
  openFor: ReadonlyMap<ResourceId, Attempt>,
): ReadonlyMap<ResourceId, ResourceId> {
  const moves = Object.entries(plan.moved) as [ResourceId, ResourceId][];
  return new Map(moves.filter(([from]) => openFor.has(from)).map(([from, to]) => [to, from]));
}

/** The address that the plan itself gives to a thing which exists already. */
function namedAddress(resource: AnyResource | undefined): string | undefined {
  const inputs = resource?.inputs;
  return inputs !== undefined && 'address' in inputs && typeof inputs.address === 'string'
    ? inputs.address
    : undefined;
}

/** The address of a dependency that keeps it: locked and not made anew by this change set. */
function stableAddress(
  id: ResourceId,
  decided: DecidedChanges,
  entries: FoundEntries,
  isChosen: (id: ResourceId) => boolean,
): string | undefined {
  const change = decided.get(id);
  const remade =
    change !== undefined && ['create', 'deploy', 'replace'].includes(change.action) && isChosen(id);
  return remade ? undefined : entries.get(id)?.outputs.address;
}

/** Ids named in a notice. */
const MOST_NAMED = 5;

function leftBehindNotice(ids: readonly ResourceId[]): readonly string[] {
  if (ids.length === 0) return [];
  const rest = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  const named = `${ids.slice(0, MOST_NAMED).join(', ')}${rest}`;
  return [`in the lockfile, but no longer in the plan: ${named}; --forget takes them out.`];
}

function unplanned(entries: FoundEntries, decided: DecidedChanges, forget: boolean): readonly Change[] {
  const changes: Change[] = [];
  // Where all are planned, which is most often so, none has to be named.
  if (decided.locked === entries.size) return changes;
  for (const id of entries.ids()) {
    const entry = decided.get(id) === undefined ? entries.get(id) : undefined;
    if (entry !== undefined) changes.push(leftBehind(entry, forget));
  }
  return changes;
}

function leftBehind({ id, inputs, outputs }: LockEntry, forget: boolean): Change {
  return {
    id,
    kind: kindOf(id),
    action: forget ? 'forget' : 'none',
    reason: forget
      ? 'is no longer in the plan; nothing remote is touched'
      : 'is no longer in the plan; --forget takes it out of the lockfile',
    irreversible: false,
    fields: [],
    drift: [],
    remote: 'not-asked',
    inputs,
    locked: outputs,
    undeclared: true,
    dependsOn: [],
  };
}
