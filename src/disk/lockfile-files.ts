import { basename, join, relative } from 'node:path';
import type { Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import type { Lock } from '../state/lock.js';
import { formatParts, type LockfileTexts } from '../state/lockfile-text.js';
import type { LockfileNames } from '../state/lockfile-fault.js';
import { parseLockfileHead, type LockfileHead } from '../state/lockfile.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { digestOfFile, encodeLock, encodePieces, holdsBytes, type EncodedFile } from './lockfile-bytes.js';
import { fileFailure, readPublicFile, syncFolder, systemCode, withPublicFile } from './private-file.js';
import { sidecarName, type StatePaths } from './state-paths.js';

/** A lockfile as it stands on disk; the sidecars that are missing are absent. */
export interface LockfileOnDisk extends LockfileTexts {
  readonly head: LockfileHead;
  /** What its files are called in errors. */
  readonly names: LockfileNames;
}

/** What the files of a lockfile hold, by the digests of their bytes. */
export interface LockfileDigests {
  readonly main: Digest;
  /** Batch name → digest of its sidecar. */
  readonly batches: ReadonlyMap<string, Digest>;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/**
 * The lockfile and its sidecars, or undefined when there is none. Writes nothing.
 *
 * @throws LOCK_UNREADABLE when the main file is; STATE_UNSAFE for links; STATE_WRITE
 */
export async function readLockfile(
  paths: StatePaths,
  disk: Disk = REAL_DISK,
): Promise<LockfileOnDisk | undefined> {
  const main = await readText(paths.lockfile, disk);
  if (main === undefined) return undefined;
  const names = namesOf(paths);
  const head = parseLockfileHead(main, names);
  const batches = new Map<string, string>();
  for (const batch of head.batches.keys()) {
    const text = await readText(sidecarPath(paths, batch), disk);
    if (text !== undefined) batches.set(batch, text);
  }
  return { main, batches, head, names };
}

/**
 * Puts a lock in place: sidecars first, the main file last, each whole or not at all; then sidecars of batches that
 * are gone are removed. Files that hold the right text already are left alone.
 *
 * @returns what they hold now
 * @throws STATE_UNSAFE for links in their places; STATE_WRITE
 */
export async function writeLockfile(
  paths: StatePaths,
  lock: Lock,
  disk: Disk = REAL_DISK,
): Promise<LockfileDigests> {
  const { main, batches } = encodeLock(lock);
  if (batches.size > 0) await ensureSidecarFolder(paths.sidecars, disk);
  for (const [batch, sidecar] of batches) await writeChanged(sidecarPath(paths, batch), sidecar, disk);
  await writeChanged(paths.lockfile, main, disk);
  await removeLeftovers(paths, new Set([...batches.keys()].map(sidecarName)), disk);
  return {
    main: main.digest,
    batches: new Map([...batches].map(([batch, { digest }]) => [batch, digest])),
  };
}

/**
 * True when the files hold what the lock amounts to, byte for byte; told without making anything of them. Sidecars that
 * the lock has no batch for do not count. The lock must not change meanwhile.
 *
 * @throws STATE_UNSAFE for links in their places; STATE_WRITE
 */
export async function holdsLock(paths: StatePaths, lock: Lock, disk: Disk): Promise<boolean> {
  if ((await withPublicFile(paths.lockfile, disk, async () => true)) === undefined) return false;
  for (const { batch, pieces } of formatParts(lock)) {
    const path = batch === undefined ? paths.lockfile : sidecarPath(paths, batch);
    if (!(await holdsBytes(path, encodePieces(pieces), disk))) return false;
  }
  return true;
}

async function writeChanged(path: string, { bytes, digest }: EncodedFile, disk: Disk): Promise<void> {
  if ((await digestOfFile(path, disk)) === digest) return;
  await writeAtomically(path, bytes, FILE_MODE, disk);
}

function namesOf(paths: StatePaths): LockfileNames {
  const shown = (path: string): string => relative(paths.root, path).replaceAll('\\', '/');
  return { main: shown(paths.lockfile), batch: (name) => shown(sidecarPath(paths, name)) };
}

/** Where the sidecar of a batch is. */
export function sidecarPath({ sidecars }: StatePaths, batch: string): string {
  return join(sidecars, sidecarName(batch));
}

async function readText(path: string, disk: Disk): Promise<string | undefined> {
  const bytes = await readPublicFile(path, disk);
  return bytes && Buffer.from(bytes).toString('utf8');
}

async function ensureSidecarFolder(path: string, disk: Disk): Promise<void> {
  try {
    await disk.mkdir(path, { recursive: true, mode: FOLDER_MODE });
    if ((await disk.lstat(path)).isDirectory()) return;
  } catch (thrown) {
    throw fileFailure(path, thrown);
  }
  throw new WindlassError('STATE_UNSAFE', `${path} is a link, not a folder.`);
}

/** Sidecars of batches that are gone, and temporary files that a crash left behind. */
async function removeLeftovers(paths: StatePaths, kept: ReadonlySet<string>, disk: Disk): Promise<void> {
  const isStale = (name: string): boolean => name.endsWith('.ndjson') && !kept.has(name);
  const isTemporary = (name: string): boolean => /^\..*\.ndjson\.[^.]+\.tmp$/.test(name);
  await removeIn(paths.sidecars, (name) => isStale(name) || isTemporary(name), disk);
  const own = `.${basename(paths.lockfile)}.`;
  await removeIn(paths.root, (name) => name.startsWith(own) && name.endsWith('.tmp'), disk);
}

async function removeIn(folder: string, chosen: (name: string) => boolean, disk: Disk): Promise<void> {
  try {
    if (!(await disk.lstat(folder)).isDirectory()) return;
    const names = (await disk.readdir(folder)).filter(chosen);
    for (const name of names) await disk.unlink(join(folder, name));
    if (names.length > 0) await syncFolder(folder, disk);
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw fileFailure(folder, thrown);
  }
}
