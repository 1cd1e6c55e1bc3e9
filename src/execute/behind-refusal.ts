import type { Verdict } from '../kinds/operation.js';
import { asUnanswered, isToldApart } from '../kinds/transaction.js';
import type { Attempt } from '../state/attempt.js';
import { knownOf, lookKnowing, settledReads, type Looking } from './look.js';
import type { RunInput } from './run-input.js';

/** Refusals that a second delivery of a request may get because the first had its effect. */
const HIDING: ReadonlySet<number> = new Set([400, 403, 404, 422, 429]);

/**
 * Looks for the effect of an attempt whose answer was a refusal: a middlebox that delivers a request again after its answer
 * was lost hands on the refusal of the second. Undefined when nothing shows it.
 *
 * @throws REMOTE_*
 */
export async function lookBehindRefusal(
  attempt: Attempt,
  { recorder, knowledge, ports }: Pick<RunInput, 'recorder' | 'knowledge' | 'ports'>,
): Promise<Extract<Verdict, { type: 'confirmed' }> | undefined> {
  const { outcome, status } = attempt.answered ?? {};
  if (outcome !== 'rejected' || status === undefined || !HIDING.has(status)) return undefined;
  return lookUnanswered(attempt, { recorder, abilities: knowledge.abilities, service: ports.service });
}

/** Looks for the effect of an attempt as if its answer had been lost. Undefined when nothing shows it. @throws REMOTE_* */
export async function lookUnanswered(
  attempt: Attempt,
  { recorder, abilities, service }: Looking,
): Promise<Extract<Verdict, { type: 'confirmed' }> | undefined> {
  const known = asUnanswered(knownOf(attempt, false, recorder));
  if (!isToldApart(known)) return undefined;
  const { verdict } = await lookKnowing(attempt.operation, known, {
    abilities,
    service: settledReads(service),
  });
  const shown = verdict.type === 'confirmed' && recorder.claims.take(attempt.step, verdict.outputs);
  return shown ? verdict : undefined;
}
