import { isEffectless } from '../state/attempt.js';
import { hintOf } from './facts.js';
/** Bodies kept per attempt; more of them say nothing new. */
const MAX_CALLBACKS = 16;
/**
 * Keeps a callback; resolves when it is durable, which is when the sender may be told so. A success for an attempt that
 * counts as one without effect is kept as a duplicate, loudly: it may be a second effect, or the first after all.
 */
export async function recordCallback(recorder, step, body) {
    const attempt = recorder.state.attempts.get(step);
    if (attempt === undefined)
        return;
    const hint = hintOf(body);
    const evidence = { type: 'step-evidenced', step, via: 'callback', ...hint };
    const contradicts = isEffectless(attempt) && hint.claim === 'success';
    if (attempt.evidence.length >= MAX_CALLBACKS && !contradicts)
        return;
    await recorder.record(evidence, ...(contradicts ? [{ type: 'step-duplicated', step, facts: hint.facts }] : []));
}
