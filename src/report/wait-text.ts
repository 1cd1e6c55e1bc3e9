import { durationText } from './duration.js';
import { escapeTerminal } from './escape.js';
import type { RunView, StepInFlight } from './run-view.js';

/** Steps that a heartbeat names; the rest is counted by the line above them. */
const MOST_NAMED = 3;

const ANSWERS = {
  accepted: 'it was accepted',
  ambiguous: 'its answer was lost or unclear',
  rejected: 'it was refused, which may hide an effect',
  not_sent: 'it may not have been sent',
  none: 'no answer to it was recorded',
} as const satisfies Record<NonNullable<StepInFlight['watched']>['answer'], string>;

/** One line for each of the steps that a run waits for longest: which, why, on what evidence, and until when. */
export function waitLines(view: RunView, nowMs: number): readonly string[] {
  return [...view.inFlight.values()]
    .filter(({ watched }) => watched !== undefined)
    .slice(0, MOST_NAMED)
    .map((flight) => {
      const since = durationText(nowMs - flight.sinceMs);
      return `  waits for ${escapeTerminal(flight.step)} (${since}): ${waitText(flight, nowMs)}`;
    });
}

/** Why a step is waited for, on what evidence, and until when. */
export function waitText({ watched, waitsFor }: StepInFlight, nowMs: number): string {
  if (watched === undefined) return waitsFor === 'answer' ? 'sending' : 'waiting for proof';
  const { answer, evidence, untilMs } = watched;
  const proof = evidence.length === 0 ? 'nothing here shows it' : `proof by ${evidence.join(', ')}`;
  const left = durationText(Math.max(0, untilMs - nowMs));
  return `${ANSWERS[answer]}; ${proof}; given up at ${clockText(untilMs)} UTC, in ${left}`;
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** The event that says that a silent run is alive, and what it waits for. */
export interface Heartbeat {
  readonly type: 'heartbeat';
  readonly done: number;
  readonly total: number;
  readonly waiting: readonly {
    readonly step: string;
    /** ISO 8601 UTC. */
    readonly since: string;
    readonly answer: string | null;
    readonly evidence: readonly string[];
    /** When it is given up, ISO 8601 UTC; null while its answer is awaited. */
    readonly until: string | null;
  }[];
}

/** Steps in flight that a heartbeat holds. */
const MOST_WAITING = 32;

/** The heartbeat of a run as it stands. */
export function heartbeatOf(view: RunView): Heartbeat {
  const waiting = [...view.inFlight.values()].slice(0, MOST_WAITING).map(({ step, sinceMs, watched }) => ({
    step,
    since: new Date(sinceMs).toISOString(),
    answer: watched?.answer ?? null,
    evidence: watched?.evidence ?? [],
    until: watched === undefined ? null : new Date(watched.untilMs).toISOString(),
  }));
  return { type: 'heartbeat', done: view.counts.confirmed, total: view.total, waiting };
}
