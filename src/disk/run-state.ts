import { randomUUID } from 'node:crypto';
import type { Journal } from '../execute/ports.js';
import { encodeEvents } from '../state/codec.js';
import { CHAIN_START } from '../state/record.js';
import { EVENT_VERSION, type JournalEvent, type Target } from '../state/event.js';
import type { Lock } from '../state/lock.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { THIS_MACHINE, type Machine } from './machine.js';
import { openJournal, type OpenJournal } from './journal-file.js';
import { readLockfile, writeLockfile } from './lockfile-files.js';
import { markLockfile } from './lockfile-mark.js';
import { acquireRunLock, type RunHolder, type RunLock } from './run-lock.js';
import { eventsOf, type StateFolder } from './known-state.js';
import { openState } from './state-folder.js';
import { statePaths, type StatePaths, type StatePlace } from './state-paths.js';

/** What a run is, for its lock and for a lineage that begins with it. */
export interface RunSession {
  /** Id of the run. */
  readonly run: string;
  readonly target: Target;
  /** Lineage that the key in use was proven for, where it is not the one that the lineage knows. */
  readonly proven?: string;
  readonly nowMs: number;
  /** Name for a lineage that begins; a random one when absent. */
  readonly lineage?: string;
  /** Where people see the run, e.g. its page in CI. */
  readonly url?: string;
  /** Where the run's process lives; this machine when absent. */
  readonly machine?: Machine;
}

/**
 * The state of a lineage for the one run that may change it. Its lineage has begun, so `lock` is there; whoever
 * appends to the journal applies the same events to `state`.
 */
export interface RunState extends StateFolder {
  readonly journal: Journal;
  /** Bytes of a torn end that an earlier crash left and that are gone now. */
  readonly cutBytes: number;
  /** The dead run whose lock was taken over. */
  readonly tookOver?: RunHolder;
  /**
   * Puts the lockfile and its sidecars in place, the main file last. Once an append to the journal failed, they hold what
   * was durable before it, for `lock` is ahead of the journal then.
   *
   * @throws STATE_UNSAFE, STATE_WRITE
   */
  readonly writeLockfile: (lock: Lock) => Promise<void>;
  /** Closes the journal, then frees the run lock; once, however often it is called. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the state beside a plan for a run: takes the run lock, cuts a torn end, and begins the lineage when there
 * is no journal yet, from the lockfile if there is one. Nothing is written when the target is another one.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, JOURNAL_CORRUPT, JOURNAL_NEWER, JOURNAL_WRITE, LOCK_UNREADABLE,
 * STATE_UNSAFE, STATE_WRITE
 */
export async function openRun(
  place: StatePlace,
  session: RunSession,
  disk: Disk = REAL_DISK,
): Promise<RunState> {
  const since = new Date(session.nowMs).toISOString();
  const { run, machine = THIS_MACHINE } = session;
  const lock = await acquireRunLock(statePaths(place).runLock, { run, since }, machine, disk);
  try {
    if (place.git === undefined) return await openLocked(place, session, { lock, disk });
    const { openGitRun } = await import('./git-run.js');
    return await openGitRun(place, place.git, { session, folderLock: lock, disk });
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

async function openLocked(
  place: StatePlace,
  session: RunSession,
  { lock, disk }: { readonly lock: RunLock; readonly disk: Disk },
): Promise<RunState> {
  const found = await openState(place, disk);
  found.checkTarget(session.target, session.proven);
  const { paths } = found;
  const opened = await beginJournal(found, session, disk);
  const state = opened.state ?? found.state;
  let closing: Promise<void> | undefined;
  return {
    ...found,
    state,
    get lock() {
      return state.lock;
    },
    journal: opened.journal,
    cutBytes: opened.cutBytes,
    ...(lock.tookOver === undefined ? {} : { tookOver: lock.tookOver }),
    writeLockfile: async (written) => {
      const sound = await opened.soundState();
      const digests = await writeLockfile(paths, sound?.lock ?? written, disk);
      if (sound !== undefined || !(await isDurable(opened.journal))) return;
      await markLockfile(paths, digests, disk);
    },
    close: () => (closing ??= closeBoth(opened, lock)),
  };
}

/** True when all that was appended so far is on the disk: its syncs are in the order of the calls. */
async function isDurable(journal: Journal): Promise<boolean> {
  try {
    await journal.append([]);
    return true;
  } catch {
    return false;
  }
}

async function closeBoth(journal: OpenJournal, lock: RunLock): Promise<void> {
  try {
    await journal.close();
  } finally {
    await lock.release();
  }
}

/**
 * The journal with a lineage begun in it. A whole import appears at once: were it cut short, the resources missing
 * from it would be made a second time.
 */
async function beginJournal(found: StateFolder, session: RunSession, disk: Disk): Promise<OpenJournal> {
  const { paths, origin } = found;
  if (origin === 'journal') return openJournal(paths.journal, disk, found.mark);
  const events = await beginning(paths, session, disk);
  await writeAtomically(paths.journal, encodeEvents(CHAIN_START, events).text, 0o600, disk);
  return openJournal(paths.journal, disk);
}

/** The events with which the journal of a lineage begins. @throws LOCK_UNREADABLE, STATE_* */
export async function beginning(
  paths: StatePaths,
  session: RunSession,
  disk: Disk,
): Promise<readonly JournalEvent[]> {
  const at = new Date(session.nowMs).toISOString();
  const lockfile = await readLockfile(paths, disk);
  return lockfile === undefined ? [lineageStarted(session, at)] : eventsOf(lockfile, at);
}

function lineageStarted({ target, lineage = randomUUID() }: RunSession, at: string): JournalEvent {
  return { type: 'lineage-started', at, version: EVENT_VERSION, lineage, target };
}
