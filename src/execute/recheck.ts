import { kindOf, type StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { adoptionOf } from '../kinds/adoption.js';
import { isEffectless, type Attempt } from '../state/attempt.js';
import { look, type Looking } from './look.js';
import type { Recorder } from './recorder.js';

/**
 * Looks once more for facts whose attempts count as without effect only because a person said so or because reads
 * showed nothing: what comes late after all is a duplicate, or the only effect and must not be sent again.
 *
 * @returns the steps whose effect was found
 * @throws JOURNAL_WRITE, REMOTE_*
 */
export async function recheckAbsent(
  recorder: Recorder,
  parts: Omit<Looking, 'recorder'>,
): Promise<readonly StepId[]> {
  const found: StepId[] = [];
  for (const attempt of [...recorder.state.attempts.values()].filter(isPresumedAbsent)) {
    const { verdict } = await look(attempt, false, { ...parts, recorder });
    if (verdict.type !== 'confirmed' || !recorder.claims.take(attempt.step, verdict.outputs)) continue;
    const facts = { outputs: verdict.outputs as unknown as Json };
    await recorder.record({ type: 'step-duplicated', step: attempt.step, facts });
    found.push(attempt.step);
  }
  return found;
}

/** Absence was concluded, not proven: by a person, or from an answer that was lost. */
function isPresumedAbsent(attempt: Attempt): boolean {
  const { resolved, answered, resources } = attempt;
  const fact = resources.every((id) => adoptionOf(kindOf(id))?.fact === true);
  const lost = answered === undefined || answered.outcome === 'ambiguous';
  return fact && isEffectless(attempt) && (resolved !== undefined || lost);
}
