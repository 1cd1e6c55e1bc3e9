import type { PlannedStep } from '../model/change.js';
import { kindOf, type ResourceId, type StepId } from '../model/id.js';
import { isJsonObject, type Json } from '../model/json.js';
import { adoptionOf } from '../kinds/adoption.js';
import { isEffectless, type Attempt } from '../state/attempt.js';
import { look, type Looking } from './look.js';
import type { Recorder } from './recorder.js';
import { lookUnanswered } from './behind-refusal.js';
import type { RunInput } from './run-input.js';

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
  for (const attempt of recorder.state.unprovenAttempts.filter(isPresumedAbsent)) {
    const { verdict } = await look(attempt, false, { ...parts, recorder });
    if (verdict.type !== 'confirmed' || !recorder.claims.take(attempt.step, verdict.outputs)) continue;
    const facts = { outputs: verdict.outputs as unknown as Json };
    await recorder.record({ type: 'step-duplicated', step: attempt.step, facts });
    found.push(attempt.step);
  }
  return found;
}

/**
 * Looks once more for the effect of a step's last attempt before it is sent anew, by what was there before that attempt:
 * of two deliveries of one request the answered one may have failed, and a list that lagged may not have shown the other.
 * An effect that shows now opens the attempt again. Marks of our own are looked for at the end of each run, so only facts
 * without one are looked for here.
 *
 * @throws JOURNAL_WRITE, REMOTE_*
 */
export async function reopenEffective(
  { resources }: PlannedStep,
  { recorder, knowledge, ports }: Pick<RunInput, 'recorder' | 'knowledge' | 'ports'>,
): Promise<void> {
  const [id] = resources;
  const last = id === undefined ? undefined : recorder.state.lastAttempt(id);
  if (last === undefined || !mayShowLate(last)) return;
  const looking = { recorder, abilities: knowledge.abilities, service: ports.service };
  const verdict = await lookUnanswered(last, looking);
  if (verdict === undefined) return;
  const facts = { outputs: verdict.outputs as unknown as Json };
  await recorder.record({ type: 'step-duplicated', step: last.step, facts });
}

/** It reached the service, nobody decided it, its effect would be a fact, and only what was there before tells it. */
function mayShowLate(attempt: Attempt): boolean {
  const { answered, before, resolved, resources } = attempt;
  const reached = resolved === undefined && answered?.outcome !== 'not_sent';
  const told = isJsonObject(before) && before['before'] !== undefined;
  return reached && told && isFact(resources) && isEffectless(attempt);
}

/** Absence was concluded, not proven: by a person, or from an answer that was lost. */
function isPresumedAbsent(attempt: Attempt): boolean {
  const { resolved, answered, resources } = attempt;
  const lost = answered === undefined || answered.outcome === 'ambiguous';
  return isFact(resources) && isEffectless(attempt) && (resolved !== undefined || lost);
}

/** A second effect cannot be taken back and is nobody's orphan. */
export function isFact(resources: readonly ResourceId[]): boolean {
  return resources.every((id) => adoptionOf(kindOf(id))?.fact === true);
}
