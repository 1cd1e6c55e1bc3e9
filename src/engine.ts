/**
 * The corridor: plan, lock and a sight of the platform in; change set, run and lock out. It joins the rooms and holds no
 * rule of its own. Everything that touches the world comes in as a port.
 *
 * ```
 * plan.yaml ─ loadPlan ───────────────────────────┐
 * platform ── survey ─────────────────────────────┼─ diff ─ change set ─ Run ─ journal ─ lockfile
 * journal ─── LineageState ───────────────────────┘        (pure up to here)
 * ```
 */
import { isIdle, type ChangeSet } from './model/change.js';
import { digestOfBytes, type Digest } from './model/canonical.js';
import { WindlassError } from './model/error.js';
import type { Plan } from './model/plan.js';
import { diff, type DiffInput } from './diff/change-set.js';
import { refresh } from './diff/refresh.js';
import { EVERYTHING } from './diff/selection.js';
import { Claims } from './execute/claims.js';
import { bookkeeping } from './execute/bookkeeping.js';
import { forkedSteps } from './execute/forks.js';
import type { Looking } from './execute/look.js';
import { isBounded, type Pace } from './execute/pace.js';
import type { Ports, Service } from './execute/ports.js';
import { Recorder } from './execute/recorder.js';
import { contradictedByCallback, findRepeats, recordRepeats, type OtherThing } from './execute/repeats.js';
import type { Observer, RunResult } from './execute/result.js';
import { Run } from './execute/run.js';
import { knowledgeOf, survey } from './execute/survey.js';
import { compareLock, type Verification } from './execute/verify.js';
import type { Abilities, Knowledge } from './kinds/kind.js';
import { peopleOf } from './kinds/wallet.js';
import { EVENT_VERSION, type RunStarted, type Target } from './state/event.js';
import type { LineageState } from './state/project.js';

/** What looking at the platform needs. */
export interface Sightseeing {
  readonly plan: Plan;
  readonly state: LineageState;
  readonly abilities: Abilities;
  /** Undefined: nothing is asked (`--offline`). */
  readonly service: Pick<Service, 'read'> | undefined;
}

/**
 * The change set for a plan: what would be written, and why. Reads only. With `refreshOnly`: how what is locked differs
 * from what the platform shows, whatever the plan wants.
 *
 * @throws CHANGE_UNKNOWN_ID; REMOTE_* when the platform cannot be read
 */
export async function preview(
  input: Sightseeing &
    Partial<Pick<DiffInput, 'selection' | 'forget' | 'strangers'>> & { readonly refreshOnly?: boolean },
): Promise<ChangeSet> {
  const { plan, state, abilities, service, selection = EVERYTHING, forget = false, strangers = [] } = input;
  const observations = await survey(plan, state, abilities, service);
  if (input.refreshOnly) return refresh({ plan, state, observations, selection });
  return diff({ plan, state, observations, abilities, selection, forget, strangers });
}

/** What a run needs beside the change set. */
export interface Applying {
  readonly plan: Plan;
  readonly changeSet: ChangeSet;
  readonly state: LineageState;
  readonly abilities: Abilities;
  readonly ports: Ports;
  readonly pace: Pace;
  readonly target: Target;
  /** Fresh random ids: of the run, and of the lineage should this be its first. */
  readonly ids: { readonly run: string; readonly lineage: string };
  /** Digest of the saved change set that is being applied; absent: it was computed for this run. */
  readonly saved?: Digest;
  readonly engineVersion: string;
  /** Begin nothing more once a step did not succeed; absent: branches that do not need it go on. */
  readonly failFast?: boolean;
  /** Addresses and transactions, in lower case, that other lineages made. */
  readonly explained?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
  readonly observe?: Observer;
}

/**
 * Executes a change set: exactly the writes it names, each at most once. What an earlier run left open is settled first.
 *
 * @throws CHANGE_BLOCKED before anything is recorded; JOURNAL_WRITE, REMOTE_AUTHENTICATION
 */
export async function apply(input: Applying): Promise<RunResult> {
  const { plan, changeSet, state, abilities, ports, observe = () => undefined } = input;
  refuseBlocked(changeSet);
  const people = peopleOf(plan);
  const recorder = new Recorder({ state, journal: ports.journal, clock: ports.clock, observe, people });
  const knowledge = knowledgeOf(plan, state, abilities);
  if (state.lock !== undefined) await refuseFork({ ...input, recorder, knowledge });
  if (state.lock === undefined) {
    const { lineage } = input.ids;
    await recorder.record({ type: 'lineage-started', version: EVENT_VERSION, lineage, target: input.target });
  }
  const { run } = input.ids;
  const changes = input.saved ?? digestOfWork(changeSet);
  await recorder.record(
    { type: 'run-started', run, plan: plan.digest, changeSet: changes, ...engineOf(input) },
    ...bookkeeping(changeSet, state),
  );
  const result = await new Run({
    changeSet,
    lineage: state.lock?.lineage ?? input.ids.lineage,
    recorder,
    knowledge,
    ports,
    pace: input.pace,
    maxInFlight: plan.environment.maxInFlight,
    sendOrder: plan.environment.sendOrder,
    failFast: input.failFast ?? false,
    signal: input.signal ?? new AbortController().signal,
  }).finish();
  if (input.signal?.aborted !== true)
    await lookForRepeats({
      state,
      abilities,
      recorder,
      service: ports.service,
      ...(input.explained && { explained: input.explained }),
    });
  await recorder.record({ type: 'run-ended', run, result: result.result });
  return result;
}

/** @throws CHANGE_BLOCKED */
export function refuseBlocked({ changes }: ChangeSet): void {
  if (changes.some(({ action }) => action === 'blocked'))
    throw new WindlassError('CHANGE_BLOCKED', 'The change set holds blocked changes, so nothing is applied.');
}

/** Who runs, and whether absence will prove anything of what is sent. */
function engineOf({ engineVersion: engine, pace }: Applying): Pick<RunStarted, 'engine' | 'bounded'> {
  return isBounded(pace) ? { engine, bounded: true } : { engine };
}

/** Digest of what a change set asks for, as it stands. What stays as it is has no part in it: that may be nearly all of it. */
function digestOfWork({ changes, ...rest }: ChangeSet): Digest {
  const work = changes.filter((change) => !isIdle(change));
  return digestOfBytes(JSON.stringify({ ...rest, changes: work }));
}

/** @throws JOURNAL_FORKED when somebody else went on with this lineage; REMOTE_* */
async function refuseFork(
  input: Applying & { readonly recorder: Recorder; readonly knowledge: Knowledge },
): Promise<void> {
  const { changeSet, ports } = input;
  const forked = await forkedSteps(changeSet.steps, { ...input, service: ports.service });
  if (forked.length === 0) return;
  const named = forked.slice(0, 3).join(', ');
  const rest = forked.length > 3 ? ` and ${forked.length - 3} more` : '';
  throw new WindlassError(
    'JOURNAL_FORKED',
    `The platform shows the effects of ${named}${rest}, which this journal never sent.`,
  );
}

/**
 * Looks for second effects of what was settled since somebody last looked, and of what callbacks contradict; keeps them
 * as duplicates.
 *
 * @param all true: of everything that the journal holds
 * @returns what looks like a second effect and is somebody else's
 * @throws JOURNAL_WRITE, REMOTE_*
 */
export async function lookForRepeats(
  parts: Looking & { readonly recorder: Recorder; readonly state: LineageState },
  all = false,
): Promise<readonly OtherThing[]> {
  const { state, recorder } = parts;
  const fresh = state.freshlySettled();
  const asked = all
    ? state.attempts.values()
    : new Map(
        [...fresh, ...contradictedByCallback(state.unexplainedAttempts())].map((one) => [one.step, one]),
      ).values();
  const { repeats, others } = await findRepeats(asked, parts);
  await recordRepeats(recorder, repeats);
  for (const other of others) recorder.tell({ type: 'other-found', ...other });
  return others;
}

/**
 * Compares everything locked with the platform and, where it can be read, the chain, and looks for second effects of
 * what the journal holds. Reads only.
 */
export async function verify(
  input: Sightseeing & Pick<Looking, 'sentSince' | 'explained'>,
): Promise<Verification> {
  const { plan, state, abilities, service, ...since } = input;
  const compared = compareLock(plan, state, await survey(plan, state, abilities, service));
  if (service === undefined) return { ...compared, repeats: [], others: [] };
  const recorder = { state, claims: new Claims(state), people: peopleOf(plan) };
  return {
    ...compared,
    ...(await findRepeats(state.attempts.values(), { ...since, recorder, abilities, service })),
  };
}
