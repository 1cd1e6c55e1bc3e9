import type { StepId } from '../model/id.js';
import type { Claims } from './claims.js';
import type { Sight } from './look.js';

/** What was seen, but for what proves another step already: two looks may find one effect at the same time, and the first has it. */
export function claimSight(step: StepId, sight: Sight, claims: Claims): Sight {
  const { verdict } = sight;
  const free = verdict.type === 'wait' || claims.take(step, verdict.outputs);
  return free ? sight : unproven(sight);
}

/** A look that proves nothing yet. */
export function unproven(sight: Sight): Sight {
  return { ...sight, verdict: { type: 'wait' }, absent: false };
}
