import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseLockfileHead } from '../state/lockfile.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readPublicFile } from './private-file.js';
import type { StatePaths } from './state-paths.js';

/** Lockfiles of one folder that are read. */
const MOST_FILES = 64;

/**
 * Addresses and transactions, in lower case, that the lockfiles of other lineages in the plan's folder hold: of other plans,
 * and of other environments. What another lineage made explains itself. A lockfile that cannot be read explains nothing.
 *
 * @param lineage our own: a copy of our lockfile is no other lineage
 */
export async function namesOfOtherLineages(
  { root, lockfile }: Pick<StatePaths, 'root' | 'lockfile'>,
  lineage: string | undefined,
  disk: Disk = REAL_DISK,
): Promise<ReadonlySet<string>> {
  const files = await readdir(root).catch(() => []);
  const others = files.filter((name) => name.endsWith('.lock.json') && name !== basename(lockfile)).sort();
  const names = new Set<string>();
  for (const name of others.slice(0, MOST_FILES)) {
    for (const held of await namesHeld(join(root, name), lineage, disk)) names.add(held.toLowerCase());
  }
  return names;
}

async function namesHeld(path: string, own: string | undefined, disk: Disk): Promise<readonly string[]> {
  try {
    const bytes = await readPublicFile(path, disk);
    if (bytes === undefined) return [];
    const { lineage, entries } = parseLockfileHead(Buffer.from(bytes).toString('utf8'));
    if (lineage === own) return [];
    return [...entries.values()].flatMap(({ outputs }) =>
      [outputs.address, outputs.transaction].filter((name) => name !== undefined),
    );
  } catch {
    return [];
  }
}
