import { digestOf } from '../model/canonical.js';
import { invariant } from '../model/error.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { PlannedStep } from '../model/change.js';
import { isJsonObject, withMembers, type Json, type JsonObject } from '../model/json.js';
import { publicView } from '../model/value.js';
import type { Knowledge } from '../kinds/kind.js';
import type { Operation, Prepared, Verdict } from '../kinds/operation.js';
import { operationNamed } from '../kinds/registry.js';
import { isConfirmed, isOpen, type Attempt } from '../state/attempt.js';
import type { LineageState } from '../state/project.js';
import { gather } from './gather.js';
import { reopenEffective } from './recheck.js';
import { lookBehindRefusal } from './behind-refusal.js';
import { isBounded, type Pace } from './pace.js';
import type { Ports, WriteAnswer } from './ports.js';
import { failureOf, type Failure } from './refusal.js';
import type { NewEvent, Recorder } from './recorder.js';
import { PlannedView } from './step-view.js';

/** What sending needs besides the step. */
export interface Sender {
  readonly ports: Ports;
  readonly recorder: Recorder;
  readonly knowledge: Knowledge;
  readonly pace: Pace;
  readonly lineage: string;
  /** True once nothing more may begin, or nothing more of this step. */
  readonly isHalted: (planned: PlannedStep) => boolean;
  /**
   * Asks for a place in flight.
   *
   * @param isAnew it goes before those that never were sent
   * @returns what to wait for while as many writes of its lane are in flight as may be
   */
  readonly enter: (planned: PlannedStep, isAnew: boolean) => Promise<void> | undefined;
  /** Told just before a request is written, and when its answer has its place in the journal. */
  readonly onWrite: () => void;
  readonly onWritten: () => void;
  /** Fires when nothing more may be sent: a write that still waits for its turn is given up. */
  readonly signal?: AbortSignal;
}

/**
 * What became of one sending. Nothing was sent when it is `refused` (the request could not be built) or `withheld` (the run
 * was stopped). `open`: the outcome of an attempt is not known: of this one, which was refused and may have had its effect
 * all the same; or of an earlier one, so that nothing was sent.
 */
export type Sent =
  | { readonly type: 'withheld' }
  | { readonly type: 'open'; readonly attempt: Attempt }
  | { readonly type: 'refused'; readonly message: string }
  /** It was refused, and yet its effect is there: a delivery before the refused one had it. */
  | {
      readonly type: 'effective';
      readonly step: StepId;
      readonly verdict: Extract<Verdict, { type: 'confirmed' }>;
    }
  | Answered;

/** It was answered, or the way to the service broke. */
export interface Answered {
  readonly type: 'answered';
  readonly step: StepId;
  readonly answer: WriteAnswer;
  /** How it counts for other steps, should it have had no effect. */
  readonly failure: Failure;
}

/**
 * Sends one attempt of a step: reads what the request needs, makes token and intent durable, sends once, notes the
 * answer. Between the intent and the first byte nothing can be known after a crash, so there is no record between.
 */
export async function sendStep(planned: PlannedStep, sender: Sender): Promise<Sent> {
  const operation = operationNamed(planned.operation);
  invariant(operation !== undefined, `operation ${planned.operation} is known`);
  const view = new PlannedView(planned, sender);
  const answers = await gather(sender.ports.service, (sofar) => operation.prepare(view, sofar));
  const blind = answers.find((answer) => answer.type === 'unreadable');
  // What was there before tells a lost effect from an old one: without that, its absence could never be shown.
  if (blind !== undefined) return { type: 'refused', message: `nothing was sent: ${blind.message}` };
  const prepared = operation.request(view, answers);
  if (prepared.type === 'refused') return { type: 'refused', message: prepared.message };
  // Whose licence is looked up waits before that, for nothing may come between; all others wait when they are ready.
  const isAnew = planned.resources.some((id) => sender.recorder.state.lastAttempt(id) !== undefined);
  const earlyPlace = isAnew ? sender.enter(planned, true) : undefined;
  if (earlyPlace !== undefined) await earlyPlace;
  if (sender.isHalted(planned)) return { type: 'withheld' };
  if (isAnew) await reopenEffective(planned, sender);
  const step = sender.recorder.state.nextStep(planned.id);
  // The licence comes last: a sign of an earlier effect may come any time.
  const opened = await sender.ports.inbox.open(step);
  const open = isAnew ? openAttempt(planned, sender.recorder.state) : undefined;
  if (open !== undefined) return heldUpBy(open, sender.recorder.state);
  const barred = barredBy(operation, prepared.context, sender.recorder.state);
  if (barred !== undefined) return { type: 'refused', message: barred };
  sender.recorder.unsent.add(step);
  await sender.recorder.record({
    type: 'step-intended',
    step,
    resources: planned.resources,
    operation: planned.operation,
    lane: planned.lane,
    token: opened.token,
    request: digestOf(publicView(prepared.request as unknown as Json)),
    before: prepared.context,
    inputs: prepared.inputs,
  });
  const place = sender.enter(planned, isAnew);
  if (place !== undefined) await place;
  const url = prepared.request.takesCallback ? opened.url : undefined;
  return deliver({ planned, step, operation, prepared, url }, sender);
}

/** An attempt whose intent is durable. */
interface Intended {
  readonly planned: PlannedStep;
  readonly step: StepId;
  readonly operation: Operation;
  readonly prepared: Extract<Prepared, { type: 'write' }>;
  /** Where to call back. */
  readonly url: string | undefined;
}

async function deliver(intended: Intended, sender: Sender): Promise<Sent> {
  const { planned, step, operation } = intended;
  const { recorder } = sender;
  // While the intent was being kept, or waited for its place, the run may have been halted.
  if (sender.isHalted(planned)) {
    const { message } = WITHHELD;
    const settled = { type: 'step-settled', state: 'failed', grade: 'D', outputs: {} } as const;
    recorder.note(answeredEvent(step, WITHHELD, undefined), { ...settled, step, message });
    return { type: 'withheld' };
  }
  const classed = await write(intended, sender);
  const attempt = recorder.state.attempts.get(step);
  invariant(attempt !== undefined, 'an answered attempt is in the journal');
  if (classed.outcome === 'rejected') {
    const behind = await lookBehindRefusal(attempt, sender);
    if (behind.type === 'effect') return { type: 'effective', step, verdict: behind.verdict };
    if (behind.type === 'unclear') return { type: 'open', attempt };
  }
  return { type: 'answered', step, answer: classed, failure: failureOf(classed, operation.shared) };
}

/** Writes the request and notes the answer. */
async function write(
  intended: Intended,
  { recorder, ports, pace, signal, onWrite, onWritten }: Sender,
): Promise<WriteAnswer> {
  const { step, prepared, url } = intended;
  onWrite();
  recorder.unsent.delete(step);
  try {
    const answer = await ports.service.write(prepared.request, url, step, signal);
    const { answer: classed, ids } = believed(answer, intended, { recorder, pace });
    recorder.note(answeredEvent(step, classed, ids));
    return classed;
  } finally {
    onWritten();
  }
}

/** What an answer counts as: an acceptance must name what was made, and not what another step was told. */
function believed(
  answer: WriteAnswer,
  { planned, step, operation, prepared }: Intended,
  { recorder: { claims }, pace }: Pick<Sender, 'recorder' | 'pace'>,
): { readonly answer: WriteAnswer; readonly ids: JsonObject | undefined } {
  if (answer.outcome !== 'accepted') return { answer, ids: undefined };
  const ids = operation.accept(answer.result ?? null, prepared.context);
  if (ids === undefined) return { answer: withMembers(answer, UNNAMED), ids };
  const [resource] = planned.resources;
  // What bears a sign is its own; and a service may name two deployments of one second alike.
  const isOwn = isBounded(pace) || resource === undefined || !claims.isToldElsewhere(step, resource, ids);
  if (isOwn) return { answer, ids };
  return { answer: withMembers(answer, OF_ANOTHER), ids: undefined };
}

function answeredEvent(
  step: StepId,
  { outcome, status, message }: WriteAnswer,
  ids: JsonObject | undefined,
): NewEvent {
  return {
    type: 'step-answered',
    step,
    outcome,
    ...(status !== undefined && { status }),
    ...(ids !== undefined && { ids }),
    ...(message !== undefined && { message }),
  };
}

/**
 * The attempt that must be settled before its step may be sent again: the licence to retry (reliability §9, S3). That is
 * the last one; or an earlier one of which a sign came late, when what was sent in its place had no effect.
 */
function openAttempt({ resources }: PlannedStep, state: LineageState): Attempt | undefined {
  const open = resources.flatMap((id) => state.lastAttempt(id) ?? []).find(isOpen);
  const missing = resources.filter((id) => state.lock?.entries.has(id) !== true);
  if (open !== undefined || missing.length === 0) return open;
  return state.unprovenAttempts.find(
    (attempt) =>
      attempt.contradicted !== undefined &&
      !isConfirmed(attempt) &&
      attempt.resources.some((id) => missing.includes(id)),
  );
}

/**
 * An attempt is to be settled first. Not by a run when it came late and another one made a part in its place: together they
 * would be no whole, and what is locked is never taken back, so only a person can say what stands.
 */
function heldUpBy(attempt: Attempt, { lock }: LineageState): Sent {
  const { step, resources, contradicted } = attempt;
  const isAnothers = (id: ResourceId): boolean => {
    const entry = lock?.entries.get(id);
    return entry !== undefined && entry.step !== step;
  };
  const held = contradicted === 'duplicate' ? resources.find(isAnothers) : undefined;
  if (held === undefined) return { type: 'open', attempt };
  return { type: 'refused', message: `nothing was sent: ${step} had an effect after all, beside ${held}` };
}

/** Why an attempt whose outcome is not known keeps another step's request from being sent; undefined when none does. */
function barredBy(operation: Operation, context: JsonObject, state: LineageState): string | undefined {
  if (operation.bars === undefined) return undefined;
  for (const { step, before } of state.openAttempts) {
    const reason = isJsonObject(before) ? operation.bars(context, before) : undefined;
    if (reason !== undefined) return `nothing was sent: the outcome of ${step} is not known, and ${reason}`;
  }
  return undefined;
}

const WITHHELD = { outcome: 'not_sent', message: 'nothing more was sent in this run' } as const;

/** An acceptance that does not say what was made proves nothing about it. */
const UNNAMED = {
  outcome: 'ambiguous',
  message: 'the service accepted the request but did not name what it made',
} as const;

/** Nor does one that names what another step was told. */
const OF_ANOTHER = {
  outcome: 'ambiguous',
  message: 'the answer names what another step was told: one of them is not its own',
} as const;
