import type { PlannedStep } from '../model/change.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { Attempt } from '../state/attempt.js';
import { lookBehindRefusal } from './behind-refusal.js';
import type { NewEvent, Recorder } from './recorder.js';
import type { StepReport } from './result.js';
import type { Sent } from './send.js';
import type { RunInput } from './run-input.js';
import type { Message, SettledMessage } from './run-message.js';
import type { Timers } from './timers.js';
import type { Watch, WatchCommand } from './watch.js';

/** Notes the end of a watched attempt. */
export function settle(
  { planned }: Watch,
  { event, report, again }: Extract<WatchCommand, { type: 'settle' }>,
  recorder: Recorder,
): Message {
  recorder.note(event);
  const made = Object.keys(event.outputs) as ResourceId[];
  return { type: 'settled', planned, report, made, again };
}

/** Notes the effect of a refused attempt, which reads showed. */
export function confirm(
  planned: PlannedStep,
  { step, verdict }: Extract<Sent, { type: 'effective' }>,
  recorder: Recorder,
): Message {
  const { grade, outputs } = verdict;
  recorder.note({ type: 'step-settled', step, state: 'confirmed', grade, outputs });
  const { id, resources } = planned;
  const made = Object.keys(outputs) as ResourceId[];
  return { type: 'settled', planned, report: { id, resources, end: 'confirmed', step }, made, again: false };
}

/** An attempt that had no effect; `step` is absent when not even an intent was recorded. */
export interface Effectless {
  readonly planned: PlannedStep;
  readonly step: StepId | undefined;
  readonly message: string;
  /** The step may be sent anew at once. */
  readonly again: boolean;
}

/** Notes that an attempt had no effect. */
export function close({ planned, step, message, again }: Effectless, recorder: Recorder): SettledMessage {
  const { id, resources } = planned;
  const report: StepReport = { id, resources, end: 'failed', ...(step !== undefined && { step }), message };
  if (step !== undefined) recorder.note(closed(step, message));
  return { type: 'settled', planned, report, made: [], again };
}

/**
 * Ends an attempt of an earlier run that was refused or never sent, which a crash kept from being settled: its effect may
 * be there all the same. @throws REMOTE_*
 */
export async function conclude(
  { planned, attempt }: { readonly planned: PlannedStep; readonly attempt: Attempt },
  input: RunInput,
): Promise<Message> {
  const { step, answered } = attempt;
  const behind = await lookBehindRefusal(attempt, input);
  if (behind.type === 'effect')
    return confirm(planned, { type: 'effective', step, verdict: behind.verdict }, input.recorder);
  if (behind.type === 'unclear') return { type: 'sent', planned, sent: { type: 'open', attempt } };
  const message = answered?.message ?? 'the request had no effect';
  return close({ planned, step, message, again: true }, input.recorder);
}

/** Closes an attempt that had no effect, then waits before its step is sent again. */
export async function pause(
  attempt: {
    readonly planned: PlannedStep;
    readonly step: StepId;
    readonly message: string;
    readonly ms: number;
  },
  recorder: Recorder,
  pauses: Timers,
): Promise<Message> {
  recorder.note(closed(attempt.step, attempt.message));
  await pauses.sleep(attempt.ms);
  return { type: 'again', planned: attempt.planned };
}

function closed(step: StepId, message: string): NewEvent {
  return { type: 'step-settled', step, state: 'failed', grade: 'D', outputs: {}, message };
}
