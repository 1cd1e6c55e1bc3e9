import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { isEffectless } from '../state/attempt.js';
import { hintOf } from './facts.js';
import type { NewEvent, Recorder } from './recorder.js';

/** What need not be kept is durable. */
const NOTHING = Promise.resolve();

/** Bodies kept per attempt; more of them say nothing new. */
const MAX_CALLBACKS = 16;

/**
 * Keeps a callback; resolves when it is durable, which is when the sender may be told so. A success for an attempt that
 * counts as one without effect is kept as a duplicate, loudly: it may be a second effect, or the first after all.
 */
export function recordCallback(recorder: Recorder, step: StepId, body: Json): Promise<void> {
  const attempt = recorder.state.attempts.get(step);
  if (attempt === undefined) return NOTHING;
  const { claim, facts } = hintOf(body);
  const evidence: NewEvent = { type: 'step-evidenced', step, via: 'callback', claim, facts };
  const contradicts = isEffectless(attempt) && claim === 'success';
  if (attempt.evidence.length >= MAX_CALLBACKS && !contradicts) return NOTHING;
  return recorder.record(
    evidence,
    ...(contradicts ? [{ type: 'step-duplicated', step, facts } as const] : []),
  );
}
