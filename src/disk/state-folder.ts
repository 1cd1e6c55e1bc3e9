import { WindlassError } from '../model/error.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readJournal } from './journal-file.js';
import { knownState, type StateFolder } from './known-state.js';
import { readLockfile } from './lockfile-files.js';
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
  if (place.git !== undefined) {
    const { openGitState } = await import('./git-state.js');
    return (await openGitState(place, place.git, disk)).folder;
  }
  const paths = statePaths(place);
  const read = await readJournal(paths.journal, disk);
  if (read?.mark.validBytes === 0) await refuseEmptied(paths, disk);
  // A lockfile that is known to come from this journal says nothing that the journal does not.
  const isOwn = read !== undefined && (await isMarkedLockfile(paths, read.mark, disk));
  const known = await knownState(paths, read, isOwn ? undefined : await readLockfile(paths, disk));
  return read === undefined ? known : { ...known, mark: read.mark };
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
