import type { ResourceId, StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { isOpen, type Attempt } from '../state/attempt.js';
import type { Grade, RunEnded, Settled } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { countDoubts, doubtCountsText, doubtsOf, type CommandPlace, type Doubt } from './doubt.js';
import { doubtsText } from './doubt-text.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf } from './palette.js';

/** One step of the lineage as `status` shows it. */
export interface StepStatus {
  readonly step: StepId;
  readonly resources: readonly ResourceId[];
  /** `open`: intended, and no outcome was recorded yet. */
  readonly state: Settled | 'open' | 'resolved';
  /** When it was intended, ISO 8601 UTC. */
  readonly at: string;
  readonly message?: string;
  /** How well its outcome is known. */
  readonly grade?: Grade;
  readonly duplicates: number;
}

/** What `status` answers: the last run and the steps that are not simply confirmed. */
export interface Status {
  readonly lineage: string;
  readonly serial: number;
  readonly resources: number;
  /** `running` also stands for a run that a crash cut short. */
  readonly lastRun?: {
    readonly run: string;
    readonly startedAt: string;
    readonly result: RunEnded['result'] | 'running';
  };
  readonly steps: readonly StepStatus[];
  readonly confirmed: number;
  /** How many locked resources are known by each kind of evidence. */
  readonly evidence: Readonly<Record<Grade, number>>;
  /** Locked resources that neither chain nor read bears out. */
  readonly weak: readonly { readonly id: ResourceId; readonly grade: Grade }[];
  /** Steps that a person may have to settle, with the lines that do it. */
  readonly doubts: readonly Doubt[];
}

/** The status of a lineage; undefined when nothing was applied yet. */
export function statusOf(state: LineageState, place: CommandPlace): Status | undefined {
  const { lock } = state;
  if (lock === undefined) return undefined;
  const all = [...state.attempts.values()].filter((attempt) => isLatest(state, attempt)).map(stepStatus);
  const last = state.runs.at(-1);
  return {
    lineage: lock.lineage,
    serial: lock.serial,
    resources: lock.entries.size,
    ...(last && {
      lastRun: {
        run: last.started.run,
        startedAt: last.started.at,
        result: last.ended?.result ?? 'running',
      },
    }),
    steps: all.filter((step) => step.state !== 'confirmed' || step.duplicates > 0),
    confirmed: all.filter((step) => step.state === 'confirmed').length,
    evidence: gradesOf(state),
    weak: [...lock.entries.values()]
      .filter(({ grade }) => grade > 'B')
      .map(({ id, grade }) => ({ id, grade })),
    doubts: doubtsOf(state, place),
  };
}

function gradesOf({ lock }: LineageState): Readonly<Record<Grade, number>> {
  const counts: Record<Grade, number> = { A: 0, B: 0, C: 0, D: 0, O: 0 };
  for (const { grade } of lock?.entries.values() ?? []) counts[grade] += 1;
  return counts;
}

/** The document of `status --format json`. */
export function statusJson(status: Status | undefined): Json {
  return (status === undefined ? { lineage: null, steps: [] } : { ...status }) as unknown as Json;
}

const RESULTS: Readonly<Record<RunEnded['result'] | 'running', string>> = {
  done: 'done',
  incomplete: 'incomplete; run apply again to resume',
  undecided: 'undecided',
  interrupted: 'interrupted; run apply again to resume',
  running: 'it did not end yet, or a crash cut it short; then apply resumes it',
};

/** The status for people. */
export function statusText(status: Status | undefined, options: { readonly colour: boolean }): string {
  if (status === undefined) return 'Nothing was applied from this folder to this environment yet.';
  const palette = paletteOf(options.colour);
  const run = status.lastRun;
  const lines = [
    `${counted(status.resources, 'resource')} locked, ${counted(status.confirmed, 'step')} confirmed.`,
    ...(run ? [`Last run ${escapeTerminal(run.run)} began ${run.startedAt}: ${RESULTS[run.result]}.`] : []),
  ];
  const open = doubtCountsText(countDoubts(status.doubts));
  if (open !== '') lines.push(`${palette.bad('Not settled')}: ${open}.`);
  lines.push(...evidenceLines(status));
  const explained = new Set(status.doubts.map(({ step }) => step));
  for (const step of status.steps.filter((item) => !explained.has(item.step))) {
    const paint = step.state === 'open' || step.state === 'resolved' ? palette.change : palette.bad;
    const duplicate = step.duplicates > 0 ? ' (a late sign of an effect was settled)' : '';
    const message = step.message === undefined ? '' : `: ${escapeTerminal(step.message)}`;
    lines.push(`  ${paint(step.state)} ${escapeTerminal(step.step)}${duplicate}${message}`);
  }
  const doubts = doubtsText(status.doubts, options);
  return doubts === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${doubts}`;
}

const GRADES: Readonly<Record<Grade, string>> = {
  A: 'chain',
  B: 'read of the platform',
  C: 'callback only',
  D: 'answer only',
  O: "a person's word",
};

/** Weakly known resources that are named; the rest is counted. */
const MOST_WEAK = 20;

function evidenceLines({ evidence, weak }: Status): readonly string[] {
  const known = (Object.entries(evidence) as [Grade, number][]).filter(([, count]) => count > 0);
  if (known.length === 0) return [];
  const counts = known.map(([grade, count]) => `${grade} ${GRADES[grade]} ${count}`);
  const named = weak.slice(0, MOST_WEAK).map(({ id, grade }) => `  ${grade} ${escapeTerminal(id)}`);
  const rest = weak.length > MOST_WEAK ? [`  … and ${weak.length - MOST_WEAK} more`] : [];
  return [`Evidence: ${counts.join(', ')}.`, ...named, ...rest];
}

function stepStatus(attempt: Attempt): StepStatus {
  const message = attempt.settled?.message ?? attempt.answered?.message;
  return {
    step: attempt.step,
    resources: attempt.resources,
    state: attemptState(attempt),
    at: attempt.at,
    ...(message !== undefined && { message }),
    ...(attempt.settled && { grade: attempt.resolved?.grade ?? attempt.settled.grade }),
    duplicates: attempt.duplicates.length,
  };
}

/** How an attempt stands, as `status` and the pages of a run call it. */
export function attemptState(attempt: Attempt): StepStatus['state'] {
  if (attempt.contradicted) return 'undecided';
  if (attempt.resolved) return 'resolved';
  if (attempt.settled) return attempt.settled.state;
  return isOpen(attempt) ? 'open' : 'failed';
}

/** A failed attempt that a later one made good is history. */
function isLatest(state: LineageState, attempt: Attempt): boolean {
  return (
    attempt.duplicates.length > 0 ||
    attempt.resources.some((id) => state.lastAttempt(id)?.step === attempt.step)
  );
}
