import type { ResourceId, StepId } from '../model/id.js';
import type { Other } from '../kinds/maker/difference.js';
import type { JournalEvent, Outcome } from '../state/event.js';

/**
 * How one step of a run ended. `skipped`: something it needs did not succeed, or the run was stopped first; `open`: it was
 * sent, and the run was stopped before its outcome was known.
 */
export type StepEnd = 'confirmed' | 'failed' | 'undecided' | 'skipped' | 'open';

/** One step of a run, for reports. */
export interface StepReport {
  readonly id: ResourceId;
  readonly resources: readonly ResourceId[];
  readonly end: StepEnd;
  readonly step?: StepId;
  readonly message?: string;
}

/** How a run ended, worst first: undecided, interrupted, incomplete, done. */
export interface RunResult {
  readonly result: 'done' | 'incomplete' | 'undecided' | 'interrupted';
  readonly steps: readonly StepReport[];
}

/**
 * The outcome of a step is waited for: why, what may prove it, and when it is given up. Told once the wait is no longer a
 * matter of moments, and again when any of it changes.
 */
export interface StepWatched {
  readonly type: 'step-watched';
  readonly step: StepId;
  /** How the write was answered; `none`: no answer was recorded, as after a crash. */
  readonly answer: Outcome | 'none';
  /** What may prove it: `callback`, and the reads that are made, e.g. `certificate.list`. */
  readonly evidence: readonly string[];
  /** When waiting ends, ISO 8601 UTC: without proof it is undecided then, or it provably had no effect. */
  readonly until: string;
}

/** Something looks like a second effect of a step and was made by somebody else, as reads show. */
export interface OtherFound extends Other {
  readonly type: 'other-found';
  readonly step: StepId;
}

/** What a run tells while it goes on, beside the journal's events. Not journaled. */
export type Progress =
  | { readonly type: 'run-planned'; readonly steps: number; readonly changes: number }
  | { readonly type: 'step-begun'; readonly id: ResourceId; readonly resources: readonly ResourceId[] }
  | { readonly type: 'step-waiting'; readonly step: StepId; readonly reason: string }
  | StepWatched
  | OtherFound
  | { readonly type: 'step-ended'; readonly report: StepReport };

/** Receives everything that happens in a run, in order. Must not throw and is not awaited. */
export type Observer = (event: JournalEvent | Progress) => void;

/** The result that a run's steps amount to. */
export function summarise(steps: readonly StepReport[], stopped: boolean): RunResult {
  const has = (...ends: StepEnd[]): boolean => steps.some(({ end }) => ends.includes(end));
  if (has('undecided')) return { result: 'undecided', steps };
  if (stopped) return { result: 'interrupted', steps };
  return { result: has('failed', 'skipped') ? 'incomplete' : 'done', steps };
}
