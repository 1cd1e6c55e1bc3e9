import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, WindlassError } from '../model/error.js';
import { REAL_DISK, type Disk, type FileFacts, type OpenFile } from './disk.js';

/** Mode of the folders that hold state. */
export const FOLDER_MODE = 0o700;

/** Mode of the files that hold state. */
export const FILE_MODE = 0o600;

/** Folders of state are at most so many below the plan's folder, which is the user's and durable. */
const LEVELS = 3;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** The system's name for a failure, e.g. `ENOENT`; undefined when it has none. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}

/** A failure of the file system as an error of the table. A link where a file should be is STATE_UNSAFE. */
export function fileFailure(path: string, thrown: unknown): WindlassError {
  if (thrown instanceof WindlassError) return thrown;
  if (systemCode(thrown) === 'ELOOP') return unsafe(path, 'is a symbolic link');
  return new WindlassError('STATE_WRITE', `${path} cannot be used: ${messageOf(thrown)}.`, { cause: thrown });
}

/**
 * Creates a folder of mode 0700, and those above it, when missing; durable as names before this returns.
 *
 * @throws STATE_UNSAFE when it is there but is a link, no folder, or open to other users; STATE_WRITE
 */
export async function ensurePrivateFolder(path: string, disk: Disk = REAL_DISK): Promise<void> {
  try {
    const created = await disk.mkdir(path, { recursive: true, mode: FOLDER_MODE });
    // Also when it was there: who created it may have died before its name was durable.
    await syncNames(created === undefined ? LEVELS : depthBelow(dirname(created), path), path, disk);
    const facts = await disk.lstat(path);
    if (!facts.isDirectory()) throw unsafe(path, 'is not a folder');
    checkMode(path, facts, FOLDER_MODE);
  } catch (thrown) {
    throw fileFailure(path, thrown);
  }
}

/**
 * Opens a file of mode 0600 in its folder of mode 0700 for reading and appending; both are created when missing,
 * and durable as names before this returns.
 *
 * @throws STATE_UNSAFE when it is a link, no regular file, or open to other users; STATE_WRITE
 */
export async function openForAppending(path: string, disk: Disk = REAL_DISK): Promise<OpenFile> {
  await ensurePrivateFolder(dirname(path), disk);
  try {
    const flags = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
    const file = await checked(path, await disk.open(path, flags, FILE_MODE));
    await syncFolder(dirname(path), disk);
    return file;
  } catch (thrown) {
    throw fileFailure(path, thrown);
  }
}

/**
 * The bytes of a file of mode 0600, or undefined when there is none. Writes nothing.
 *
 * @throws STATE_UNSAFE, STATE_WRITE
 */
export async function readPrivateFile(path: string, disk: Disk = REAL_DISK): Promise<Uint8Array | undefined> {
  return withPrivateFile(path, disk, (file) => file.readFile());
}

/**
 * Reads a file of mode 0600 through `use`, which is given the open file and its size; undefined when there is none. Writes
 * nothing.
 *
 * @throws STATE_UNSAFE, STATE_WRITE; what `use` throws
 */
export async function withPrivateFile<T>(
  path: string,
  disk: Disk,
  use: (file: OpenFile, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> {
  return read(path, disk, (facts) => checkMode(path, facts, FILE_MODE), use);
}

/**
 * The bytes of a regular file whatever its mode, or undefined when there is none. Writes nothing.
 *
 * @throws STATE_UNSAFE for links and what is no regular file; STATE_WRITE
 */
export async function readPublicFile(path: string, disk: Disk = REAL_DISK): Promise<Uint8Array | undefined> {
  return withPublicFile(path, disk, (file) => file.readFile());
}

/** Does with a regular file of any mode what {@link withPrivateFile} does with one of mode 0600. */
export async function withPublicFile<T>(
  path: string,
  disk: Disk,
  use: (file: OpenFile, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> {
  return read(path, disk, () => undefined, use);
}

/** Makes the names in a folder durable: those of files just created, renamed or removed. */
export async function syncFolder(path: string, disk: Disk = REAL_DISK): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await disk.open(path, O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Syncs so many folders above `path`, the nearest first. */
async function syncNames(levels: number, path: string, disk: Disk): Promise<void> {
  let folder = dirname(path);
  for (let level = 0; level < levels; level += 1) {
    await syncFolder(folder, disk);
    if (folder === dirname(folder)) return;
    folder = dirname(folder);
  }
}

/** How many folders there are from `top` down to the one above `path`. */
function depthBelow(top: string, path: string): number {
  let depth = 1;
  for (let folder = dirname(path); folder.length > top.length; folder = dirname(folder)) depth += 1;
  return depth;
}

async function read<T>(
  path: string,
  disk: Disk,
  check: (facts: FileFacts) => void,
  use: (file: OpenFile, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> {
  try {
    const file = await disk.open(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw unsafe(path, 'is not a regular file');
      check(facts);
      return await use(file, facts.size);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw fileFailure(path, thrown);
  }
}

async function checked(path: string, file: OpenFile): Promise<OpenFile> {
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw unsafe(path, 'is not a regular file');
    checkMode(path, facts, FILE_MODE);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Windows has no such modes; its folders are private to the user already. */
function checkMode(path: string, facts: FileFacts, mode: number): void {
  if (process.platform === 'win32' || (facts.mode & 0o077) === 0) return;
  throw unsafe(path, `is open to other users (mode ${(facts.mode & 0o777).toString(8)})`, mode);
}

function unsafe(path: string, why: string, mode?: number): WindlassError {
  const advice = mode === undefined ? {} : { advice: `Run: chmod ${mode.toString(8)} ${path}` };
  return new WindlassError('STATE_UNSAFE', `${path} ${why}.`, advice);
}
