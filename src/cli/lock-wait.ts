import { openRun, type RunSession as BegunRun, type RunState } from '../disk/run-state.js';
import { REAL_DISK, type Disk } from '../disk/disk.js';
import { pinnedTarget } from '../disk/pinned-target.js';
import type { RunHolder } from '../disk/run-lock.js';
import { Recorder } from '../execute/recorder.js';
import { LOCAL } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import { durationText } from '../report/duration.js';
import { escapeTerminal } from '../report/escape.js';
import { ciRunUrl } from './ci-run.js';
import { SYSTEM_CLOCK } from './clock.js';
import { Interrupted } from './interruption.js';
import type { Session } from './session.js';
import { keysOf } from '../state/target.js';
import { refuseShared } from './shared-organisation.js';
import { printNote, type Terminal } from './terminal.js';

/** Flags of commands that take the run lock. */
export interface LockFlags {
  /** How long to wait for another run's lock, in milliseconds; absent: not at all. */
  readonly lockTimeout?: number;
}

/** How a command takes the run lock. */
export interface Taking {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly flags: LockFlags;
  /** Id of the run. */
  readonly run: string;
  readonly disk?: Disk;
}

/** The state of a lineage that this process holds. */
export interface TakenState {
  readonly state: RunState;
  /** Closes the journal and frees the lock. */
  close(): Promise<void>;
}

/** How often a lock that another run holds is looked at. */
const LOOK_MS = 1000;

/** A line at least so often while waiting, so that nobody takes it for a hang. */
const LINE_MS = 9000;

/**
 * Opens the state of a lineage for this run; waits for a run that holds it as long as the flags allow. A lock in Git
 * outlives this process, so a signal that comes while it is held does not end the process: the command stops itself.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, LOCK_KEY_UNPROVEN, TARGET_SHARED, JOURNAL_*, STATE_*; Interrupted
 */
export async function takeState(taking: Taking): Promise<TakenState> {
  // Nothing begins with the credentials of another environment.
  const { session } = taking;
  const isRemote = session.plan.environment.name !== LOCAL;
  if (isRemote && (await pinnedTarget(session.place)) === undefined) await refuseShared(session);
  const beganMs = SYSTEM_CLOCK.nowMs();
  const deadlineMs = beganMs + (taking.flags.lockTimeout ?? 0);
  let lineMs = 0;
  for (;;) {
    const taken = await tryTaking(taking);
    if (!(taken instanceof WindlassError)) return taken;
    const nowMs = SYSTEM_CLOCK.nowMs();
    if (nowMs >= deadlineMs) throw taken;
    if (nowMs - lineMs >= LINE_MS) {
      lineMs = nowMs;
      const waited = durationText(nowMs - beganMs);
      printNote(taking.terminal, `${taken.message} Waiting for it, ${waited} so far.`);
    }
    await SYSTEM_CLOCK.sleep(Math.min(LOOK_MS, deadlineMs - nowMs));
  }
}

/** Whom the lock was taken from: a person who reads it knows why the lock did not hold this run up. */
function describeTakeover({ run, pid, host }: RunHolder): string {
  const who = escapeTerminal(`Run ${run} (process ${pid} on ${host})`);
  return `${who} died and left its lock, which this run took over; what it left open is settled first.`;
}

/** Keeps the key in use as one of the lineage's, where it was not. @throws JOURNAL_WRITE */
async function acceptKey(
  { target, admission }: Session,
  state: RunState,
  close: () => Promise<void>,
): Promise<void> {
  const { lock, journal } = state;
  if (admission === undefined || lock === undefined || lock.lineage !== admission.lineage) return;
  if (keysOf(lock.target).includes(target.client)) return;
  const { client, organisation } = target;
  const named = organisation === undefined ? {} : { organisation };
  const recorder = new Recorder({
    state: state.state,
    journal,
    clock: SYSTEM_CLOCK,
    observe: () => undefined,
  });
  try {
    await recorder.record({ type: 'key-accepted', client, ...named, ...admission.proof });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The state, or the refusal when another run holds it. */
async function tryTaking({ session, terminal, run, disk }: Taking): Promise<TakenState | WindlassError> {
  const { place, target, admission } = session;
  const { interruption } = terminal;
  const release = place.git === undefined ? (): void => undefined : interruption.hold();
  try {
    const url = ciRunUrl(terminal.env);
    const begun: BegunRun = {
      run,
      target,
      nowMs: SYSTEM_CLOCK.nowMs(),
      ...(admission && { proven: admission.lineage }),
      ...(url !== undefined && { url }),
    };
    const state = await openRun(place, begun, disk ?? REAL_DISK);
    const close = async (): Promise<void> => {
      try {
        await state.close();
      } finally {
        release();
      }
    };
    if (!interruption.signal.aborted) {
      await acceptKey(session, state, close);
      if (state.tookOver !== undefined) printNote(terminal, describeTakeover(state.tookOver));
      return { state, close };
    }
    await close();
    throw new Interrupted();
  } catch (thrown) {
    release();
    if (interruption.signal.aborted) throw new Interrupted();
    if (thrown instanceof WindlassError && thrown.code === 'RUN_LOCKED') return thrown;
    throw thrown;
  }
}
