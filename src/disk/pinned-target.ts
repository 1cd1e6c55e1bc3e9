import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { decodeJournal } from '../state/codec.js';
import type { Target } from '../state/event.js';
import { parseLockfileHead } from '../state/lockfile.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readPublicFile, withPrivateFile } from './private-file.js';
import { openState } from './state-folder.js';
import { statePaths, type StatePlace } from './state-paths.js';

/** More than the first record of any journal. */
const HEAD_BYTES = 64 * 1024;

/**
 * The target that a lineage is pinned to, from the first record of its journal, else from its lockfile; of one in Git, from
 * the copy that is here. Undefined when there is neither. Reads little, so that it can be asked before anything else is done.
 *
 * @throws STATE_*, LOCK_UNREADABLE, JOURNAL_*
 */
export async function pinnedTarget(place: StatePlace, disk: Disk = REAL_DISK): Promise<Target | undefined> {
  if (place.git !== undefined) {
    const { lock } = await openState({ ...place, git: { ...place.git, offline: true } }, disk);
    return lock?.target;
  }
  const paths = statePaths(place);
  const head = await withPrivateFile(paths.journal, disk, async (file, sizeBytes) => {
    const bytes = Buffer.alloc(Math.min(sizeBytes, HEAD_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytes.indexOf('\n') + 1 || bytesRead);
  });
  const first = head === undefined ? undefined : decodeJournal(head).events[0];
  if (first?.type === 'lineage-started') return first.target;
  return targetIn(paths.lockfile, disk);
}

/** The targets of all lockfiles in a plan's folder, by file name; what cannot be read is left out, for its own command to tell. */
export async function lockedTargets(
  root: string,
  disk: Disk = REAL_DISK,
): Promise<ReadonlyMap<string, Target>> {
  const names = (await readdir(root)).filter((name) => name.endsWith('.lock.json')).sort();
  const found = new Map<string, Target>();
  for (const name of names) {
    const target = await targetIn(join(root, name), disk).catch((thrown: unknown) => {
      if (thrown instanceof WindlassError) return undefined;
      throw thrown;
    });
    if (target !== undefined) found.set(name, target);
  }
  return found;
}

async function targetIn(path: string, disk: Disk): Promise<Target | undefined> {
  const bytes = await readPublicFile(path, disk);
  return bytes && parseLockfileHead(Buffer.from(bytes).toString('utf8')).target;
}
