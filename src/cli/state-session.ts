import { randomUUID } from 'node:crypto';
import type { RunState } from '../disk/run-state.js';
import { Recorder } from '../execute/recorder.js';
import { peopleOf } from '../kinds/wallet.js';
import { recheckAbsent } from '../execute/recheck.js';
import { SYSTEM_CLOCK } from './clock.js';
import { importSpool } from './spool-import.js';
import { takeState, type LockFlags } from './lock-wait.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';

/** The state of a lineage opened to record what a person says. */
interface StateSession {
  readonly state: RunState;
  readonly recorder: Recorder;
}

/**
 * Takes the run lock, takes in what callbacks and reads say by now, so that no person decides on old evidence, and lets
 * a person's word be recorded. When it resolves, journal and lockfile are where they are kept and the lock is free: what
 * is answered then is true for every other runner, too.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, JOURNAL_*, STATE_*, and what `work` throws
 */
export async function withState<T>(
  session: Session,
  terminal: Terminal,
  flags: LockFlags,
  work: (opened: StateSession) => Promise<T>,
): Promise<T> {
  const taken = await takeState({ session, terminal, flags, run: randomUUID() });
  const { state } = taken;
  try {
    const recorder = recorderOf(session, state);
    await takeInLate(session, state, recorder);
    const result = await work({ state, recorder });
    if (state.lock !== undefined) await state.writeLockfile(state.lock);
    return result;
  } finally {
    await taken.close();
  }
}

/** A recorder for what is not part of a run. */
export function recorderOf({ plan }: Pick<Session, 'plan'>, { state, journal }: RunState): Recorder {
  const people = peopleOf(plan);
  return new Recorder({ state, journal, clock: SYSTEM_CLOCK, observe: () => undefined, people });
}

/** What came while no run was active: callbacks from the spool, and effects that only reads show. */
export async function takeInLate(session: Session, state: RunState, recorder: Recorder): Promise<number> {
  const taken = await importSpool(state.paths.spool, recorder);
  const { abilities, service } = session;
  await recheckAbsent(recorder, { abilities, service });
  return taken;
}
