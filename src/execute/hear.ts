import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { hintOf } from './facts.js';
import type { Recorder } from './recorder.js';

/** Bodies kept per attempt; more of them say nothing new. */
const MAX_CALLBACKS = 16;

/**
 * Keeps a callback; resolves when it is durable, which is when the sender may be told so. A success for an attempt that
 * was settled as failed is a second effect: it is kept as a duplicate, loudly.
 */
export async function recordCallback(recorder: Recorder, step: StepId, body: Json): Promise<void> {
  const attempt = recorder.state.attempts.get(step);
  if (attempt === undefined || attempt.evidence.length >= MAX_CALLBACKS) return;
  const hint = hintOf(body);
  await recorder.record({ type: 'step-evidenced', step, via: 'callback', ...hint });
  if (attempt.settled?.state === 'failed' && hint.claim === 'success') {
    await recorder.record({ type: 'step-duplicated', step, facts: hint.facts });
  }
}
