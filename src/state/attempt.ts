import type { Digest } from '../model/canonical.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type {
  JournalEvent,
  StepAnswered,
  StepDuplicated,
  StepEvidenced,
  StepIntended,
  StepResolved,
  StepSettled,
} from './event.js';

/** All that the journal says about one sending of a step. */
export interface Attempt {
  readonly step: StepId;
  readonly resources: readonly ResourceId[];
  readonly operation: string;
  readonly lane: string;
  /** Digest of the callback token. */
  readonly token: Digest;
  /** Digest of the request. */
  readonly request: Digest;
  /** What reads showed before the write. */
  readonly before: Json;
  readonly inputs: Readonly<Record<ResourceId, Json>>;
  /** When it was intended, ISO 8601 UTC. */
  readonly at: string;
  /** The first answer; undefined when a crash cut it off. */
  readonly answered: StepAnswered | undefined;
  /** In order of arrival. */
  readonly evidence: readonly StepEvidenced[];
  readonly settled: StepSettled | undefined;
  readonly resolved: StepResolved | undefined;
  readonly duplicates: readonly StepDuplicated[];
  /**
   * A sign of an effect came after the attempt counted as one without, and no person has spoken since. `reopened`:
   * nothing was sent in its place yet, so its outcome is open again; `duplicate`: there may be two effects.
   */
  readonly contradicted: 'reopened' | 'duplicate' | undefined;
}

/** An event about one attempt that was intended before. */
export type AttemptEvent = StepAnswered | StepEvidenced | StepSettled | StepDuplicated | StepResolved;

const ATTEMPT_EVENTS: ReadonlySet<JournalEvent['type']> = new Set<AttemptEvent['type']>([
  'step-answered',
  'step-evidenced',
  'step-settled',
  'step-duplicated',
  'step-resolved',
]);

/** True for events that speak of an attempt which an earlier event intended. */
export function isAttemptEvent(event: JournalEvent): event is AttemptEvent {
  return ATTEMPT_EVENTS.has(event.type);
}

/** A fresh attempt from its intent. It has every member, so that all attempts are of one shape, which makes copies cheap. */
export function beginAttempt(intent: StepIntended): Attempt {
  const { step, resources, operation, lane, token, request, before, inputs, at } = intent;
  return {
    step,
    resources,
    operation,
    lane,
    token,
    request,
    before,
    inputs,
    at,
    answered: undefined,
    evidence: [],
    settled: undefined,
    resolved: undefined,
    duplicates: [],
    contradicted: undefined,
  };
}

/**
 * The attempt after an event. The first answer stays. A confirmed attempt stays settled as it is, so that late
 * evidence never changes ids that others already use; only a person's decision stands beside it.
 */
export function advanceAttempt(attempt: Attempt, event: AttemptEvent): Attempt {
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
      return { ...attempt, contradicted: undefined, resolved: event };
  }
}

/** A proven outcome ends a doubt that was opened again; there was one effect then, or none. */
function settle(attempt: Attempt, event: StepSettled): Attempt {
  const proven = attempt.contradicted === 'reopened' && event.state !== 'undecided';
  return { ...attempt, contradicted: proven ? undefined : attempt.contradicted, settled: event };
}

/** True when the platform or the chain proved the effect. */
export function isConfirmed(attempt: Attempt): boolean {
  return attempt.settled?.state === 'confirmed';
}

/** True when it is confirmed and nothing else was ever said of it. */
export function isSimplyConfirmed(attempt: Attempt): boolean {
  const { resolved, contradicted, duplicates } = attempt;
  return (
    isConfirmed(attempt) && resolved === undefined && contradicted === undefined && duplicates.length === 0
  );
}

/** True while nobody knows the outcome and no person decided it: a run must look again. */
export function isOpen(attempt: Attempt): boolean {
  if (attempt.contradicted !== undefined) return attempt.contradicted === 'reopened';
  return attempt.resolved === undefined && (attempt.settled?.state ?? 'undecided') === 'undecided';
}

/** True when a run gave the outcome up, or a sign of an effect contradicts what is known: a person may have to say. */
export function isUnsettled({ contradicted, resolved, settled }: Attempt): boolean {
  return contradicted !== undefined || (resolved === undefined && settled?.state === 'undecided');
}

/** True for an attempt that counts as one without effect: proven so, or declared so by a person. */
export function isEffectless({ resolved, settled, contradicted }: Attempt): boolean {
  if (contradicted !== undefined) return false;
  return resolved === undefined ? settled?.state === 'failed' : resolved.decision === 'absent';
}

/** True for an event that says what came of its attempt. */
export function isProven(event: AttemptEvent): boolean {
  if (event.type === 'step-settled') return event.state !== 'undecided';
  return event.type === 'step-resolved' && event.decision === 'adopt';
}
