import type { Change, ChangeSet, FieldChange } from '../model/change.js';
import type { Json, JsonObject } from '../model/json.js';
import { isJsonObject } from '../model/json.js';
import type { AnyResource } from '../model/resource.js';
import type { Observation } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import type { LockEntry } from '../state/lock.js';
import type { DiffInput } from './change-set.js';
import { driftOf } from './fields.js';
import { choose } from './selection.js';
import { unsettledMember } from './unsettled.js';

const NOTICE =
  'Only compared: what the plan wants is left aside, and nothing is written to the platform. Applying takes what is marked `=` into the lock.';

/**
 * What the platform shows of everything locked, whatever the plan wants by now (`--refresh-only`).
 *
 * | platform shows | |
 * |---|---|
 * | what is locked, or nothing can be read | as locked |
 * | other values of something that can be changed there | the lock may take them: the next plan compares with what is |
 * | another result, and nothing that it was made from | drift; never taken: the next plan could not set it right |
 * | other values of something that nothing can change, e.g. the name of a tag | drift; never taken: the next plan would be blocked |
 * | other values of something that cannot be taken back | drift; never taken: what was done once stays locked as it was done |
 * | another owner of a contract that cannot be taken back | the lock may take it: what was made is still there |
 * | nothing | drift; never taken: out of the lock it would be made a second time |
 *
 * @throws CHANGE_UNKNOWN_ID when a flag names nothing
 */
export function refresh(input: Pick<DiffInput, 'plan' | 'state' | 'observations' | 'selection'>): ChangeSet {
  const { plan, state, observations, selection } = input;
  const entries = state.lock?.entries ?? new Map<never, LockEntry>();
  const chosen = choose(plan.resources, entries.keys(), selection);
  const changes = plan.resources.flatMap((resource) => {
    const entry = entries.get(resource.id);
    if (entry === undefined || !chosen.isChosen(resource.id)) return [];
    return [compare(resource, entry, observations.get(resource.id) ?? { sight: 'not-asked' })];
  });
  return {
    plan: { name: plan.name, file: plan.file, digest: plan.digest },
    environment: plan.environment.name,
    changes,
    steps: [],
    partial: chosen.partial,
    notices: [NOTICE],
    ...unsettledMember(state),
  };
}

function compare(resource: AnyResource, entry: LockEntry, observation: Observation): Change {
  const { sight, unreadable } = observation;
  const { id, kind, dependsOn } = resource;
  const drift = sight === 'absent' ? [GONE] : driftOf(entry, observation);
  const ruling = rule(resource, observation, drift);
  const inputs = ruling.accepted ? accepted(entry.inputs, observation.inputs ?? {}) : entry.inputs;
  return {
    id,
    kind,
    action: 'none',
    reason: ruling.reason,
    irreversible: false,
    fields: [],
    drift,
    remote: sight,
    ...(unreadable !== undefined && { unreadable }),
    inputs,
    dependsOn,
    ...(ruling.accepted && { adopt: { ...entry.outputs, ...observation.made } }),
  };
}

const GONE: FieldChange = { path: 'exists', before: true, after: false };

function rule(
  resource: AnyResource,
  observation: Observation,
  drift: readonly FieldChange[],
): { readonly accepted: boolean; readonly reason: string } {
  const { sight, inputs = {} } = observation;
  const kept = (reason: string) => ({ accepted: false, reason });
  if (sight === 'absent') return kept('the platform does not show it; it stays in the lock');
  if (drift.length === 0) {
    return kept(sight === 'present' ? 'as locked' : 'as locked; the platform cannot show it here');
  }
  const kind = kindNamed(resource.kind);
  const others = drift.filter(({ path }) => kind.changeable?.includes(path) !== true);
  if (others.length === 0) return { accepted: true, reason: 'others changed it on the chain' };
  if (kind.irreversible) {
    return kept('cannot have changed since it was made; it stays as locked');
  }
  const explained = drift.some(({ path }) => Object.keys(inputs).some((name) => isUnder(path, name)));
  if (kind.differs(resource, drift, observation).action === 'blocked') {
    return kept('somebody changed what a plan cannot set right; it stays as locked');
  }
  if (!explained) return kept('what was made of it differs, and nothing shows from what; it stays as locked');
  return { accepted: true, reason: 'the platform shows other values' };
}

function isUnder(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
}

/** The locked inputs with what is shown in their place; what reads do not show stays. */
function accepted(locked: Json, shown: JsonObject): Json {
  return isJsonObject(locked) ? { ...locked, ...shown } : shown;
}
