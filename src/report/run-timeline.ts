import type { PlannedStep } from '../model/change.js';
import { parseCertificateId, parseStepId, type ResourceId, type StepId } from '../model/id.js';
import { isJsonObject, textMember, type Json } from '../model/json.js';
import type { Attempt } from '../state/attempt.js';
import type { Grade, RunEnded } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import type { RunRecord } from '../state/run-book.js';
import { attemptState, type StepStatus } from './status.js';

/** One sending of a step on the time axis, in epoch milliseconds. */
export interface TimelineBar {
  readonly step: StepId;
  readonly state: StepStatus['state'];
  readonly sentMs: number;
  readonly answeredMs?: number;
  readonly settledMs?: number;
}

/** One step with all its attempts, or the certificates of one batch; in the order in which they were begun. */
export interface TimelineRow {
  readonly label: string;
  /** The worst of its attempts, later ones over earlier ones of the same step. */
  readonly state: StepStatus['state'];
  readonly bars: readonly TimelineBar[];
  /** Steps in it: 1, or the certificates of the batch that were begun. */
  readonly count: number;
}

/** Something that a run made, with what proves it. */
export interface Receipt {
  readonly id: ResourceId;
  readonly address?: string;
  readonly tokenId?: string;
  readonly transaction?: string;
  readonly block?: number;
  readonly grade: Grade;
}

/** A run that did not go well in one place. */
export interface Trouble {
  readonly step: StepId;
  readonly state: StepStatus['state'];
  readonly resources: readonly ResourceId[];
  readonly message?: string;
}

/** One run as it can be drawn. */
export interface RunTimeline {
  readonly run: RunRecord;
  /** `running` also stands for a run that a crash cut short. */
  readonly result: RunEnded['result'] | 'running';
  readonly startedMs: number;
  readonly endedMs?: number;
  readonly rows: readonly TimelineRow[];
  readonly troubles: readonly Trouble[];
  readonly receipts: readonly Receipt[];
  /** Steps that it was to take and has not begun. */
  readonly waiting: readonly ResourceId[];
  /** Steps by their state. */
  readonly counts: Readonly<Record<StepStatus['state'], number>>;
  /** Resources of the confirmed steps. */
  readonly made: number;
}

/**
 * The last run of a lineage; undefined when there was none.
 *
 * @param planned the steps of its change set, where they are at hand: those not begun are known only then
 */
export function lastRunTimeline(
  state: LineageState,
  planned: readonly PlannedStep[] = [],
): RunTimeline | undefined {
  const run = state.runs.at(-1);
  if (run === undefined) return undefined;
  const { started, ended } = run;
  const attempts = [...state.attempts.values()].filter(
    ({ at, settled }) => at >= started.at || (settled?.at ?? '') >= started.at,
  );
  const counts = { confirmed: 0, failed: 0, undecided: 0, open: 0, resolved: 0 };
  const latest = new Map(attempts.map((attempt) => [idOf(attempt), attempt]));
  for (const attempt of latest.values()) counts[attemptState(attempt)] += 1;
  return {
    run,
    result: ended?.result ?? 'running',
    startedMs: Date.parse(started.at),
    ...(ended && { endedMs: Date.parse(ended.at) }),
    rows: rowsOf(attempts),
    troubles: [...latest.values()].flatMap(troubleOf),
    receipts: attempts.flatMap(receiptsOf),
    waiting: planned.map(({ id }) => id).filter((id) => !latest.has(id)),
    counts,
    made: [...latest.values()]
      .filter((attempt) => attemptState(attempt) === 'confirmed')
      .reduce((sum, { resources }) => sum + resources.length, 0),
  };
}

function rowsOf(attempts: readonly Attempt[]): readonly TimelineRow[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const id = idOf(attempt);
    const batch = parseCertificateId(id)?.batch;
    const label = batch === undefined ? id : `certificate.${batch}`;
    const group = groups.get(label);
    if (group) group.push(attempt);
    else groups.set(label, [attempt]);
  }
  return [...groups].map(([label, group]) => {
    const latest = new Map(group.map((attempt) => [idOf(attempt), attemptState(attempt)]));
    const batched = parseCertificateId(idOf(group[0]))?.batch !== undefined;
    return {
      label,
      state: worstOf([...latest.values()]),
      bars: batched ? spanOf(group) : group.map(barOf),
      count: latest.size,
    };
  });
}

const SEVERITY: readonly StepStatus['state'][] = ['undecided', 'failed', 'open', 'resolved', 'confirmed'];

function worstOf(states: readonly StepStatus['state'][]): StepStatus['state'] {
  return SEVERITY.find((state) => states.includes(state)) ?? 'open';
}

function barOf(attempt: Attempt): TimelineBar {
  const { step, at, answered, settled } = attempt;
  return {
    step,
    state: attemptState(attempt),
    sentMs: Date.parse(at),
    ...(answered && { answeredMs: Date.parse(answered.at) }),
    ...(settled && { settledMs: Date.parse(settled.at) }),
  };
}

/** One bar from the first to the last of a batch: thousands of bars show no more. */
function spanOf(group: readonly Attempt[]): readonly TimelineBar[] {
  const bars = group.map(barOf);
  const [first] = bars;
  if (first === undefined) return [];
  const open = bars.some(({ settledMs }) => settledMs === undefined);
  const sentMs = bars.reduce((least, bar) => Math.min(least, bar.sentMs), first.sentMs);
  const lastMs = bars.reduce((most, bar) => Math.max(most, bar.settledMs ?? 0), 0);
  const state = worstOf(bars.map((bar) => bar.state));
  return [{ step: first.step, state, sentMs, ...(!open && { settledMs: lastMs }) }];
}

function troubleOf(attempt: Attempt): readonly Trouble[] {
  const state = attemptState(attempt);
  if (state !== 'failed' && state !== 'undecided') return [];
  const message = attempt.settled?.message ?? attempt.answered?.message;
  const { step, resources } = attempt;
  return [{ step, state, resources, ...(message !== undefined && { message }) }];
}

function receiptsOf(attempt: Attempt): readonly Receipt[] {
  const { settled, resolved } = attempt;
  if (settled?.state !== 'confirmed') return [];
  const blocks = new Map<string, number>();
  for (const { facts } of attempt.evidence) collectBlocks(facts, blocks);
  return (Object.entries(settled.outputs) as [ResourceId, Json][]).map(([id, outputs]) => {
    const known = (name: string): string | undefined => textMember(outputs, name);
    const [address, tokenId, transaction] = [known('address'), known('tokenId'), known('transaction')];
    const block = blocks.get(transaction ?? '');
    return {
      id,
      ...(address !== undefined && { address }),
      ...(tokenId !== undefined && { tokenId }),
      ...(transaction !== undefined && { transaction }),
      ...(block !== undefined && { block }),
      grade: resolved?.grade ?? settled.grade,
    };
  });
}

/** Block numbers by transaction, wherever receipts stand in what was heard or read. */
function collectBlocks(value: Json, found: Map<string, number>): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) collectBlocks(item, found);
  if (!isJsonObject(value)) return;
  const [hash, block] = [value['transactionHash'], value['blockNumber']];
  if (typeof hash === 'string' && typeof block === 'number') found.set(hash, block);
  for (const item of Object.values(value)) collectBlocks(item, found);
}

function idOf(attempt: Attempt | undefined): ResourceId {
  return parseStepId(attempt?.step ?? '')?.id ?? ('' as ResourceId);
}
