import type { FieldChange } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import type { Observation } from '../kinds/kind.js';
import { driftedFields } from '../diff/fields.js';
import type { LineageState } from '../state/project.js';

/** One locked thing that differs from what the platform or the chain shows. `fields` is empty when it is not there at all. */
export interface Mismatch {
  readonly id: ResourceId;
  readonly message: string;
  readonly fields: readonly FieldChange[];
}

/** What verification found. The three lists and the matches make up every locked resource. */
export interface Verification {
  readonly matches: readonly ResourceId[];
  readonly mismatches: readonly Mismatch[];
  /** What could not be read, and what would make it readable. Never counted as a match. */
  readonly unreadable: readonly { readonly id: ResourceId; readonly reason: string }[];
}

/** Compares every locked resource with what was seen of it. Pure; in id order. */
export function compareLock(
  plan: Plan,
  state: LineageState,
  observations: ReadonlyMap<ResourceId, Observation>,
): Verification {
  const matches: ResourceId[] = [];
  const mismatches: Mismatch[] = [];
  const unreadable: { id: ResourceId; reason: string }[] = [];
  for (const id of [...(state.lock?.entries.keys() ?? [])].sort()) {
    const entry = state.lock?.entries.get(id);
    const observation = observations.get(plan.moved[id] ?? id);
    if (entry === undefined) continue;
    if (observation === undefined) unreadable.push({ id, reason: 'it is no longer in the plan' });
    else if (observation.sight === 'absent')
      mismatches.push({ id, message: 'the platform does not show it', fields: [] });
    else if (observation.sight !== 'present')
      unreadable.push({ id, reason: observation.unreadable ?? 'this environment has no read for it' });
    else {
      const fields = observation.inputs === undefined ? [] : driftedFields(entry.inputs, observation.inputs);
      if (fields.length === 0) matches.push(id);
      else mismatches.push({ id, message: 'the platform shows other values', fields });
    }
  }
  return { matches, mismatches, unreadable };
}
