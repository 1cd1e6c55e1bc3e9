import { REAL_DISK, type Disk } from './disk.js';
import { readJournal } from './journal-file.js';
import { knownState, type StateFolder } from './known-state.js';
import { readLockfile } from './lockfile-files.js';
import { statePaths, type StatePlace } from './state-paths.js';

/**
 * Reads the state of a lineage, from the files beside the plan or from Git: the journal's projection, else the lockfile,
 * else nothing. Takes no lock and changes nothing; `plan`, `status`, `outputs` and `verify` need no more.
 *
 * @throws JOURNAL_*, STATE_*; LOCK_UNREADABLE (damaged sidecars only while there is no journal)
 */
export async function openState(place: StatePlace, disk: Disk = REAL_DISK): Promise<StateFolder> {
  if (place.git !== undefined) {
    const { openGitState } = await import('./git-state.js');
    return (await openGitState(place, place.git, disk)).folder;
  }
  const paths = statePaths(place);
  const read = await readJournal(paths.journal, disk);
  const known = knownState(paths, read?.events ?? [], await readLockfile(paths, disk));
  return read === undefined ? known : { ...known, mark: read.mark };
}
