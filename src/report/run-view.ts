import type { PlannedStep } from '../model/change.js';
import { parseCertificateId, parseStepId, type ResourceId, type StepId } from '../model/id.js';
import type { Progress, StepEnd, StepWatched } from '../execute/result.js';
import type { JournalEvent } from '../state/event.js';

/** A step that was sent, or is about to be, and has no outcome yet. */
export interface StepInFlight {
  readonly step: StepId;
  readonly resources: readonly ResourceId[];
  /** Epoch milliseconds of the intent. */
  readonly sinceMs: number;
  /** What it waits for. */
  readonly waitsFor: 'answer' | 'proof';
  /** Why its outcome is waited for, what may prove it, and when it is given up; undefined while that was not told. */
  readonly watched?: Pick<StepWatched, 'answer' | 'evidence'> & { readonly untilMs: number };
}

/** Progress of the certificates of one batch. */
export interface BatchProgress {
  readonly batch: string;
  readonly total: number;
  readonly settled: number;
  /** Epoch milliseconds of the first intent; undefined before. */
  readonly startedMs?: number;
  /** Epoch milliseconds of the latest outcome. */
  readonly latestMs?: number;
}

/** What is known of a run while it goes on: all that its live view shows. */
export interface RunView {
  /** Steps. */
  readonly total: number;
  /** Resources that something happens to, and those of them that are done. */
  readonly changes: { readonly total: number; readonly made: number };
  readonly counts: Readonly<Record<StepEnd, number>>;
  readonly inFlight: ReadonlyMap<StepId, StepInFlight>;
  readonly batches: ReadonlyMap<string, BatchProgress>;
}

/**
 * The view of a run that has not begun: what its change set will do.
 *
 * @param changes how many there are; those without a step are made as the run begins
 */
export function beginView(steps: readonly PlannedStep[], changes = writtenBy(steps)): RunView {
  const batches = new Map<string, BatchProgress>();
  for (const { id } of steps) {
    const batch = parseCertificateId(id)?.batch;
    if (batch === undefined) continue;
    batches.set(batch, { batch, total: (batches.get(batch)?.total ?? 0) + 1, settled: 0 });
  }
  const counts = { confirmed: 0, failed: 0, undecided: 0, skipped: 0, open: 0 };
  const made = Math.max(0, changes - writtenBy(steps));
  return { total: steps.length, changes: { total: changes, made }, counts, inFlight: new Map(), batches };
}

function writtenBy(steps: readonly PlannedStep[]): number {
  return steps.reduce((sum, { resources }) => sum + resources.length, 0);
}

/**
 * The view after an event. Events that do not bear on a step leave it as it is. Outcomes are counted when a step
 * ends, not when an attempt does: an attempt without effect is followed by another.
 */
export function advanceView(view: RunView, event: JournalEvent | Progress, nowMs: number): RunView {
  if (event.type === 'step-intended') {
    const { step, resources } = event;
    const inFlight = new Map(view.inFlight).set(step, {
      step,
      resources,
      sinceMs: nowMs,
      waitsFor: 'answer',
    });
    return { ...view, inFlight, batches: beganIn(view.batches, step, nowMs) };
  }
  if (event.type === 'step-answered') {
    const flight = view.inFlight.get(event.step);
    if (!flight) return view;
    return { ...view, inFlight: new Map(view.inFlight).set(event.step, { ...flight, waitsFor: 'proof' }) };
  }
  if (event.type === 'step-watched') {
    const { step, answer, evidence } = event;
    // What an earlier run sent was not intended in this one.
    const flight = view.inFlight.get(step) ?? { step, resources: [], sinceMs: nowMs };
    const watched = { answer, evidence, untilMs: Date.parse(event.until) };
    const inFlight = new Map(view.inFlight).set(step, { ...flight, waitsFor: 'proof', watched });
    return { ...view, inFlight };
  }
  if (event.type === 'step-settled') {
    const inFlight = new Map(view.inFlight);
    inFlight.delete(event.step);
    return { ...view, inFlight };
  }
  if (event.type === 'step-ended') {
    const { end, id, resources } = event.report;
    const counts = { ...view.counts, [end]: view.counts[end] + 1 };
    const made = view.changes.made + (end === 'confirmed' ? resources.length : 0);
    const changes = { ...view.changes, made };
    const batches = end === 'skipped' ? view.batches : endedIn(view.batches, id, nowMs);
    return { ...view, counts, changes, batches };
  }
  return view;
}

/** Batches whose last certificate ended between two views. */
export function batchesEnded(before: RunView, after: RunView): readonly BatchProgress[] {
  if (before.batches === after.batches) return [];
  return [...after.batches.values()].filter(
    ({ batch, settled, total }) => settled === total && (before.batches.get(batch)?.settled ?? 0) < total,
  );
}

/** The batch of a step about a certificate. */
export function batchOf(step: StepId): string | undefined {
  const id = parseStepId(step)?.id;
  return id === undefined ? undefined : parseCertificateId(id)?.batch;
}

/**
 * Certificates per second since the first was sent, and the time left at that rate; undefined while nothing
 * has been settled.
 */
export function paceOf(
  progress: BatchProgress,
  nowMs: number,
): { readonly perSecond: number; readonly leftMs: number } | undefined {
  if (progress.startedMs === undefined || progress.settled === 0) return undefined;
  const done = progress.settled >= progress.total;
  const elapsedMs = Math.max(1, (done ? (progress.latestMs ?? nowMs) : nowMs) - progress.startedMs);
  const perSecond = (progress.settled * 1000) / elapsedMs;
  return { perSecond, leftMs: ((progress.total - progress.settled) * 1000) / perSecond };
}

function beganIn(batches: RunView['batches'], step: StepId, nowMs: number): RunView['batches'] {
  const progress = batches.get(batchOf(step) ?? '');
  if (!progress || progress.startedMs !== undefined) return batches;
  return new Map(batches).set(progress.batch, { ...progress, startedMs: nowMs });
}

function endedIn(batches: RunView['batches'], id: ResourceId, nowMs: number): RunView['batches'] {
  const progress = batches.get(parseCertificateId(id)?.batch ?? '');
  if (!progress) return batches;
  const settled = Math.min(progress.total, progress.settled + 1);
  return new Map(batches).set(progress.batch, { ...progress, settled, latestMs: nowMs });
}
