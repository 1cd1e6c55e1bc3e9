const ATTEMPT_EVENTS = new Set([
    'step-answered',
    'step-evidenced',
    'step-settled',
    'step-duplicated',
    'step-resolved',
]);
/** True for events that speak of an attempt which an earlier event intended. */
export function isAttemptEvent(event) {
    return ATTEMPT_EVENTS.has(event.type);
}
/** A fresh attempt from its intent. */
export function beginAttempt(intent) {
    const { step, resources, operation, lane, token, request, before, inputs, at } = intent;
    const empty = { evidence: [], duplicates: [] };
    return { step, resources, operation, lane, token, request, before, inputs, at, ...empty };
}
/**
 * The attempt after an event. The first answer stays. A confirmed attempt stays settled as it is, so that late
 * evidence never changes ids that others already use; only a person's decision stands beside it.
 */
export function advanceAttempt(attempt, event) {
    switch (event.type) {
        case 'step-answered':
            return attempt.answered === undefined ? { ...attempt, answered: event } : attempt;
        case 'step-evidenced':
            return { ...attempt, evidence: [...attempt.evidence, event] };
        case 'step-settled':
            return isConfirmed(attempt) ? attempt : settle(attempt, event);
        case 'step-duplicated':
            return { ...attempt, duplicates: [...attempt.duplicates, event], contradicted: 'duplicate' };
        case 'step-resolved':
            return { ...calm(attempt), resolved: event };
    }
}
/** A proven outcome ends a doubt that was opened again; there was one effect then, or none. */
function settle(attempt, event) {
    const proven = attempt.contradicted === 'reopened' && event.state !== 'undecided';
    return { ...(proven ? calm(attempt) : attempt), settled: event };
}
function calm(attempt) {
    const { contradicted: _contradicted, ...rest } = attempt;
    return rest;
}
/** True when the platform or the chain proved the effect. */
export function isConfirmed(attempt) {
    return attempt.settled?.state === 'confirmed';
}
/** True when it is confirmed and nothing else was ever said of it. */
export function isSimplyConfirmed(attempt) {
    const { resolved, contradicted, duplicates } = attempt;
    return (isConfirmed(attempt) && resolved === undefined && contradicted === undefined && duplicates.length === 0);
}
/** True while nobody knows the outcome and no person decided it: a run must look again. */
export function isOpen(attempt) {
    if (attempt.contradicted !== undefined)
        return attempt.contradicted === 'reopened';
    return attempt.resolved === undefined && (attempt.settled?.state ?? 'undecided') === 'undecided';
}
/** True for an attempt that counts as one without effect: proven so, or declared so by a person. */
export function isEffectless({ resolved, settled, contradicted }) {
    if (contradicted !== undefined)
        return false;
    return resolved === undefined ? settled?.state === 'failed' : resolved.decision === 'absent';
}
