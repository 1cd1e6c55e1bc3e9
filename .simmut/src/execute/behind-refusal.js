import { asUnanswered, isToldApart } from '../kinds/transaction.js';
import { knownOf, lookKnowing, settledReads } from './look.js';
/** Refusals that a second delivery of a request may get because the first had its effect. */
const HIDING = new Set([400, 403, 404, 422, 429]);
/**
 * Looks for the effect of an attempt whose answer was a refusal: a middlebox that delivers a request again after its answer
 * was lost hands on the refusal of the second. Where reads wait for what has no outcome yet, a refusal counts only when
 * they show that it hides nothing; elsewhere, when they do not show what may be the effect.
 *
 * @throws REMOTE_*
 */
export async function lookBehindRefusal(attempt, { recorder, knowledge, ports, pace }) {
    const { outcome, status } = attempt.answered ?? {};
    if (outcome !== 'rejected' || status === undefined || !HIDING.has(status))
        return NOTHING;
    const settles = pace.executionBoundMs !== undefined;
    const looking = { recorder, abilities: knowledge.abilities, service: ports.service };
    const sight = await seeUnanswered(attempt, looking);
    const verdict = sight && provenFor(attempt, sight, looking);
    if (verdict !== undefined)
        return { type: 'effect', verdict };
    if (sight !== undefined && mayBeThere(sight))
        return UNCLEAR;
    return settles && sight?.absent !== true ? UNCLEAR : NOTHING;
}
const NOTHING = { type: 'nothing' };
const UNCLEAR = { type: 'unclear' };
function mayBeThere({ verdict }) {
    return verdict.type === 'wait' ? verdict.shown === true : verdict.type === 'failed';
}
/** Looks for the effect of an attempt as if its answer had been lost. Undefined when nothing shows it. @throws REMOTE_* */
export async function lookUnanswered(attempt, looking) {
    const sight = await seeUnanswered(attempt, looking);
    return sight && provenFor(attempt, sight, looking);
}
/** Undefined while nothing would tell its effect from that of another attempt. */
async function seeUnanswered(attempt, looking) {
    const { recorder, abilities, service } = looking;
    const known = asUnanswered(knownOf(attempt, false, recorder));
    if (!isToldApart(known))
        return undefined;
    return lookKnowing(attempt.operation, known, { abilities, service: settledReads(service) });
}
function provenFor({ step }, { verdict }, { recorder }) {
    return verdict.type === 'confirmed' && recorder.claims.take(step, verdict.outputs) ? verdict : undefined;
}
