import { WindlassError } from '../model/error.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readJournal, type ReadJournal } from './journal-file.js';
import { knownState, type StateFolder } from './known-state.js';
import { holdsLock, readLockfile } from './lockfile-files.js';
import { isMarkedLockfile } from './lockfile-mark.js';
import { readPrivateFile } from './private-file.js';
import { statePaths, type StatePaths, type StatePlace } from './state-paths.js';

/**
 * Reads the state of a lineage, from the files beside the plan or from Git: the journal's projection, else the lockfile,
 * else nothing. Takes no lock and changes nothing; `plan`, `status`, `outputs` and `verify` need no more.
 *
 * @throws JOURNAL_* (also for a journal that was emptied), STATE_*; LOCK_UNREADABLE (damaged sidecars only while there is no journal)
 */
export async function openState(place: StatePlace, disk: Disk = REAL_DISK): Promise<StateFolder> {
  return openBy(place, readLockfile, disk);
}

/**
 * The same from the journal alone, whatever the lockfile says or however damaged it is.
 *
 * @throws JOURNAL_*, STATE_*
 */
export async function openJournalState(place: StatePlace, disk: Disk = REAL_DISK): Promise<StateFolder> {
  return openBy(place, async () => undefined, disk);
}

async function openBy(place: StatePlace, read: typeof readLockfile, disk: Disk): Promise<StateFolder> {
  if (place.git !== undefined) {
    const { openGitState } = await import('./git-state.js');
    return (await openGitState(place, place.git, disk, read)).folder;
  }
  const paths = statePaths(place);
  const journal = await readJournal(paths.journal, disk);
  if (journal?.mark.validBytes === 0) await refuseEmptied(paths, disk);
  // A lockfile that comes from this journal says nothing that the journal does not.
  const isOwn = journal !== undefined && (await isWrittenFrom(journal, paths, disk));
  const known = await knownState(paths, journal, isOwn ? undefined : await read(paths, disk));
  return journal === undefined ? known : { ...known, mark: journal.mark };
}

/**
 * True for a lockfile that was certainly written from this journal, told without making anything of it. False says nothing:
 * what is wrong with a file is told when it is read.
 */
async function isWrittenFrom({ state, mark }: ReadJournal, paths: StatePaths, disk: Disk): Promise<boolean> {
  try {
    if (await isMarkedLockfile(paths, mark, disk)) return true;
    return state.lock !== undefined && (await holdsLock(paths, state.lock, disk));
  } catch {
    return false;
  }
}

/**
 * A journal whose first record is torn was never written to again. Where tokens were given out it was, so that one without
 * any whole record lost what was sent: to begin anew would send it a second time.
 */
async function refuseEmptied({ tokens }: StatePaths, disk: Disk): Promise<void> {
  const given = await readPrivateFile(tokens, disk);
  if (given === undefined || given.length === 0) return;
  throw new WindlassError(
    'JOURNAL_CORRUPT',
    'The journal holds no whole record, and yet steps were sent from here.',
  );
}
