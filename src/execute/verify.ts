import type { FieldChange } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { resourcesById } from '../model/resource-map.js';
import type { OtherThing, Repeat } from './repeats.js';
import type { Observation } from '../kinds/kind.js';
import { driftOf } from '../diff/fields.js';
import { uncomparedIn } from '../state/uncompared.js';
import type { LockEntry } from '../state/lock.js';
import type { LineageState } from '../state/project.js';

/** One locked thing that differs from what the platform or the chain shows. `fields` is empty when it is not there at all. */
export interface Mismatch {
  readonly id: ResourceId;
  readonly message: string;
  readonly fields: readonly FieldChange[];
}

/** What verification found. The first three lists make up every locked resource. */
export interface Verification {
  readonly matches: readonly ResourceId[];
  readonly mismatches: readonly Mismatch[];
  /** What could not be read, and what would make it readable. Never counted as a match. */
  readonly unreadable: readonly { readonly id: ResourceId; readonly reason: string }[];
  /** Second effects of settled steps, which nobody was told of yet. */
  readonly repeats: readonly Repeat[];
  /** What looks like a second effect and was made by somebody else: nothing to be done about. */
  readonly others: readonly OtherThing[];
}

type Finding = { readonly match: true } | { readonly mismatch: Mismatch } | { readonly unreadable: string };

/** Compares every locked resource with what was seen of it. Pure; in id order. */
export function compareLock(
  plan: Plan,
  state: LineageState,
  observations: ReadonlyMap<ResourceId, Observation>,
): Omit<Verification, 'repeats' | 'others'> {
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
    unreadable: findings.flatMap(({ id, finding }) =>
      'unreadable' in finding ? [{ id, reason: finding.unreadable }] : [],
    ),
  };
}

const NOT_ASKED: Observation = { sight: 'not-asked' };

function compareEntry(entry: LockEntry, observation: Observation | undefined): Finding {
  const { id } = entry;
  if (observation === undefined) return { unreadable: 'it is no longer in the plan' };
  const { sight, unreadable } = observation;
  if (sight === 'absent') return { mismatch: { id, message: 'the platform does not show it', fields: [] } };
  if (sight !== 'present') return { unreadable: unreadable ?? 'this environment has no read for it' };
  const fields = driftOf(entry, observation);
  const uncompared = uncomparedIn(entry.outputs);
  if (fields.length === 0 && uncompared.length > 0)
    return { unreadable: `adopted, and never compared: ${uncompared.join(', ')}` };
  return fields.length === 0
    ? { match: true }
    : { mismatch: { id, message: observation.note ?? 'the platform shows other values', fields } };
}
