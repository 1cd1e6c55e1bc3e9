import type { ResourceId, StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { isOpen, type Attempt } from '../state/attempt.js';
import type { RunEnded, Settled } from '../state/event.js';
import type { LineageState } from '../state/project.js';
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
}

/** The status of a lineage; undefined when nothing was applied yet. */
export function statusOf(state: LineageState): Status | undefined {
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
  };
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
  for (const step of status.steps) {
    const paint = step.state === 'open' || step.state === 'resolved' ? palette.change : palette.bad;
    const duplicate = step.duplicates > 0 ? ' (took effect more than once)' : '';
    const message = step.message === undefined ? '' : `: ${escapeTerminal(step.message)}`;
    lines.push(`  ${paint(step.state)} ${escapeTerminal(step.step)}${duplicate}${message}`);
  }
  return lines.join('\n');
}

function stepStatus(attempt: Attempt): StepStatus {
  const message = attempt.settled?.message ?? attempt.answered?.message;
  return {
    step: attempt.step,
    resources: attempt.resources,
    state: stateOf(attempt),
    at: attempt.at,
    ...(message !== undefined && { message }),
    duplicates: attempt.duplicates.length,
  };
}

function stateOf(attempt: Attempt): StepStatus['state'] {
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
