import type { PlannedStep } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import type { Attempt } from '../state/attempt.js';
import type { LineageState } from '../state/project.js';

/** An attempt of an earlier run and the step of this one that continues it. */
export interface Continued {
  readonly planned: PlannedStep;
  readonly attempt: Attempt;
  /** Its answer proved that it had no effect, but a crash kept that from being settled. */
  readonly effectless: boolean;
}

/** The open attempts of earlier runs, oldest first; at most one for a step. */
export function continuedAttempts(steps: readonly PlannedStep[], state: LineageState): readonly Continued[] {
  const makers = new Map<ResourceId, PlannedStep>();
  for (const step of steps) for (const id of step.resources) makers.set(id, step);
  const continued = new Map<PlannedStep, Continued>();
  for (const attempt of state.openAttempts) {
    const planned = makerOf(attempt, makers);
    if (planned === undefined || continued.has(planned)) continue;
    const outcome = attempt.answered?.outcome;
    continued.set(planned, {
      planned,
      attempt,
      effectless: attempt.settled === undefined && (outcome === 'not_sent' || outcome === 'rejected'),
    });
  }
  return [...continued.values()];
}

function makerOf(
  { resources }: Attempt,
  makers: ReadonlyMap<ResourceId, PlannedStep>,
): PlannedStep | undefined {
  const id = resources.find((resource) => makers.has(resource));
  return id === undefined ? undefined : makers.get(id);
}
