import type { Change } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Attempt } from '../state/attempt.js';
import type { LineageState } from '../state/project.js';
import { changedFields } from './fields.js';

/** True when an attempt was sent with other inputs for a resource than the plan has now. */
export function isOutdated(attempt: Attempt, id: ResourceId, inputs: Json): boolean {
  const sent = attempt.inputs[id];
  return sent !== undefined && changedFields(sent, inputs).length > 0;
}

/**
 * The resources that are now as an earlier run had sent them, and not as the plan says.
 *
 * @param open the attempts whose outcome was not known before this run
 */
export function outdatedResources(
  open: readonly Attempt[],
  changes: readonly Change[],
  state: LineageState,
): readonly ResourceId[] {
  const attempts = new Map(open.map((attempt) => [attempt.step, attempt] as const));
  return changes.flatMap(({ id, inputs }) => {
    const step = attempts.size === 0 ? undefined : state.lock?.entries.get(id)?.step;
    const attempt = step === undefined ? undefined : attempts.get(step);
    return attempt !== undefined && isOutdated(attempt, id, inputs) ? [id] : [];
  });
}
