import { randomUUID } from 'node:crypto';
import type { RunState } from '../disk/run-state.js';
import { Recorder } from '../execute/recorder.js';
import { recheckAbsent } from '../execute/recheck.js';
import { SYSTEM_CLOCK } from './clock.js';
import { importSpool } from './spool-import.js';
import { takeState, type LockFlags } from './lock-wait.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';

/** The state of a lineage opened to record what a person says. */
export interface StateSession {
  readonly state: RunState;
  readonly recorder: Recorder;
  /** Puts the lockfile in place: what the journal amounts to by now. */
  writeLockfile(): Promise<void>;
  /** Closes the journal and frees the run lock. */
  close(): Promise<void>;
}

/**
 * Takes the run lock, and takes in what callbacks and reads say by now, so that no person decides on old evidence.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, JOURNAL_*, STATE_*
 */
export async function openStateSession(
  session: Session,
  terminal: Terminal,
  flags: LockFlags,
): Promise<StateSession> {
  const taken = await takeState({ session, terminal, flags, run: randomUUID() });
  const { state } = taken;
  try {
    const recorder = recorderOf(state);
    await takeInLate(session, state, recorder);
    const writeLockfile = async (): Promise<void> => {
      if (state.lock !== undefined) await state.writeLockfile(state.lock);
    };
    return { state, recorder, writeLockfile, close: () => taken.close() };
  } catch (thrown) {
    await taken.close();
    throw thrown;
  }
}

/** A recorder for what is not part of a run. */
export function recorderOf({ state, journal }: RunState): Recorder {
  return new Recorder({ state, journal, clock: SYSTEM_CLOCK, observe: () => undefined });
}

/** What came while no run was active: callbacks from the spool, and effects that only reads show. */
export async function takeInLate(session: Session, state: RunState, recorder: Recorder): Promise<number> {
  const taken = await importSpool(state.paths.spool, recorder);
  const { abilities, service } = session;
  await recheckAbsent(recorder, { abilities, service });
  return taken;
}
