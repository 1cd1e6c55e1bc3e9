import type { Verdict } from '../kinds/operation.js';
import { asUnanswered, isToldApart } from '../kinds/transaction.js';
import type { Attempt } from '../state/attempt.js';
import type { LineageState } from '../state/project.js';
import { knownOf, lookKnowing, settledReads, type Looking, type Sight } from './look.js';
import type { Pace } from './pace.js';
import type { RunInput } from './run-input.js';

/** Refusals that a second delivery of a request may get because the first had its effect. */
const HIDING: ReadonlySet<number> = new Set([400, 403, 404, 422, 429]);

/** What a look behind a refusal shows. `unclear`: what may be the effect, or too little to say that there is none. */
export type Behind =
  | { readonly type: 'nothing' | 'unclear' }
  | { readonly type: 'effect'; readonly verdict: Extract<Verdict, { type: 'confirmed' }> };

/**
 * Looks for the effect of an attempt whose answer was a refusal: a middlebox that delivers a request again after its answer
 * was lost hands on the refusal of the second. Where reads wait for what has no outcome yet, a refusal counts only when
 * they show that it hides nothing, and never where answers bore no signs; elsewhere, when they do not show what may be the
 * effect.
 *
 * @throws REMOTE_*
 */
export async function lookBehindRefusal(
  attempt: Attempt,
  { recorder, knowledge, ports, pace }: Pick<RunInput, 'recorder' | 'knowledge' | 'ports' | 'pace'>,
): Promise<Behind> {
  const origin = originOf(attempt, recorder.state, pace);
  if (!mayHide(attempt, origin)) return NOTHING;
  const looking = { recorder, abilities: knowledge.abilities, service: ports.service };
  const sight = await seeUnanswered(attempt, looking);
  const verdict = sight && provenFor(attempt, sight, looking);
  if (verdict !== undefined) return { type: 'effect', verdict };
  if (sight !== undefined && mayBeThere(sight)) return UNCLEAR;
  if (origin === 'anybody') return UNCLEAR;
  return origin === 'platform' && sight?.absent !== true ? UNCLEAR : NOTHING;
}

/**
 * Who refused: the embedded platform, whose answer bore a sign; a service that signs nothing; or, where only the sign was
 * missing, anybody, who may have kept the request, and be it for long.
 */
type Origin = 'platform' | 'service' | 'anybody';

function originOf({ step }: Attempt, state: LineageState, { executionBoundMs }: Pace): Origin {
  if (executionBoundMs === undefined) return 'service';
  return state.isBounded(step) ? 'platform' : 'anybody';
}

function mayHide({ answered }: Attempt, origin: Origin): boolean {
  const status = answered?.outcome === 'rejected' ? answered.status : undefined;
  return status !== undefined && (origin === 'anybody' || HIDING.has(status));
}

const NOTHING: Behind = { type: 'nothing' };
const UNCLEAR: Behind = { type: 'unclear' };

function mayBeThere({ verdict }: Sight): boolean {
  return verdict.type === 'wait' ? verdict.shown === true : verdict.type === 'failed';
}

/** Looks for the effect of an attempt as if its answer had been lost. Undefined when nothing shows it. @throws REMOTE_* */
export async function lookUnanswered(
  attempt: Attempt,
  looking: Looking,
): Promise<Extract<Verdict, { type: 'confirmed' }> | undefined> {
  const sight = await seeUnanswered(attempt, looking);
  return sight && provenFor(attempt, sight, looking);
}

/** Undefined while nothing would tell its effect from that of another attempt. */
async function seeUnanswered(attempt: Attempt, looking: Looking): Promise<Sight | undefined> {
  const { recorder, abilities, service } = looking;
  const known = asUnanswered(knownOf(attempt, false, recorder));
  if (!isToldApart(known)) return undefined;
  const sight = await lookKnowing(attempt.operation, known, { abilities, service: settledReads(service) });
  // Another may have been sent while the reads were under way.
  return isToldApart(known) ? sight : undefined;
}

function provenFor(
  { step }: Attempt,
  { verdict }: Sight,
  { recorder }: Looking,
): Extract<Verdict, { type: 'confirmed' }> | undefined {
  return verdict.type === 'confirmed' && recorder.claims.take(step, verdict.outputs) ? verdict : undefined;
}
