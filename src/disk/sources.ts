import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { digestOfBytes } from '../model/canonical.js';
import { isPrivate, pathRefusal, type FileRefusal, type Globbed, type PlanFiles } from '../plan/files.js';
import {
  compileGlob,
  isPattern,
  MAX_PATTERN,
  patternRoot,
  type GlobMatcher,
  type GlobStates,
} from '../plan/glob.js';

const HEAD_BYTES = 64;
const CHUNK_BYTES = 256 * 1024;
/** Most files whose digests are computed side by side: beyond it the disk only queues. */
const MAX_OPEN = 16;
/** Most entries of folders that the patterns of one plan are held against. */
const MAX_ENTRIES = 300_000;
/** Longest path of a folder that is searched, in UTF-16 units. */
const MAX_PATH = 1024;

type Opened = { readonly status: 'ok'; readonly file: FileHandle; readonly sizeBytes: number } | FileRefusal;

/**
 * The files beside a plan, confined to its folder: no absolute path, no `..`, no link that leaves it, nothing of Git
 * or Windlass (`.git`, `.windlass`), regular files only. Sizes are checked before reading; digest and bytes come from the same read.
 *
 * @param folder the plan's folder; it has to exist
 */
export function planFilesIn(folder: string): PlanFiles {
  const root = realpath(folder);
  const slots = slotsOf(MAX_OPEN);
  const walk: Walk = { entries: 0, listings: new Map() };
  return {
    glob: (pattern) => globFiles(folder, pattern, walk),
    read: async (path, maxBytes) => {
      const opened = await openInside(await root, path, maxBytes);
      if (opened.status !== 'ok') return opened;
      await using file = opened.file;
      const bytes = await readExactly(file, opened.sizeBytes);
      return { status: 'ok', bytes, digest: digestOfBytes(bytes), sizeBytes: bytes.length };
    },
    digest: async (path, maxBytes) => {
      const release = await slots();
      try {
        const opened = await openInside(await root, path, maxBytes);
        return opened.status === 'ok' ? await digestFile(opened.file, opened.sizeBytes) : opened;
      } finally {
        release();
      }
    },
  };
}

async function openInside(root: string, path: string, maxBytes: number): Promise<Opened> {
  const refusal = pathRefusal(path);
  if (refusal !== undefined) return { status: refusal };
  try {
    const real = await realpath(join(root, path));
    const base = root.endsWith(sep) ? root : root + sep;
    if (!real.startsWith(base)) return { status: 'outside' };
    if (real.slice(base.length).split(sep).some(isPrivate)) return { status: 'private' };
    // Not blocking: opening a pipe must not wait for its writer. Not following: the link was resolved above.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, isFile } = await file
      .stat()
      .then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (isFile && size <= maxBytes) return { status: 'ok', file, sizeBytes: size };
    await file.close();
    return isFile ? { status: 'too-large', sizeBytes: size, maxBytes } : { status: 'not-regular' };
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

function refusalOf(thrown: unknown): FileRefusal {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return { status: 'missing' };
  if (code === 'ELOOP' || code === 'ENXIO') return { status: 'not-regular' };
  if (code === 'EACCES' || code === 'EPERM') return { status: 'unreadable', reason: 'permission denied' };
  throw thrown;
}

/** Up to `sizeBytes` bytes: a file that grows while it is read is not followed. */
async function readExactly(file: FileHandle, sizeBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  let filled = 0;
  while (filled < sizeBytes) {
    const { bytesRead } = await file.read(bytes, filled, sizeBytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function digestFile(
  opened: FileHandle,
  sizeBytes: number,
): Promise<Awaited<ReturnType<PlanFiles['digest']>>> {
  await using file = opened;
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, sizeBytes)));
  let head: Uint8Array = new Uint8Array();
  let read = 0;
  while (read < sizeBytes) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, sizeBytes - read), read);
    if (bytesRead === 0) break;
    if (read === 0) head = Uint8Array.from(chunk.subarray(0, Math.min(HEAD_BYTES, bytesRead)));
    hash.update(chunk.subarray(0, bytesRead));
    read += bytesRead;
  }
  return { status: 'ok', digest: `sha256:${hash.digest('hex')}`, sizeBytes: read, head };
}

/** What all patterns of one plan may look at together: a folder with more is not one of sources. */
interface Walk {
  entries: number;
  readonly listings: Map<string, Promise<readonly Dirent[]>>;
}

/** A folder that is still to be searched, and where the pattern stands there. */
interface Waiting {
  /** Empty, or with `/` at its end. */
  readonly path: string;
  readonly states: GlobStates;
}

async function globFiles(folder: string, pattern: string, walked: Walk): Promise<Globbed> {
  if (pathRefusal(pattern) !== undefined || pattern.length > MAX_PATTERN) return { status: 'ok', paths: [] };
  const glob = compileGlob(pattern);
  const found: string[] = [];
  const start = isPattern(pattern) ? patternRoot(pattern) : pattern.split('/').slice(0, -1).join('/');
  const prefix = start === '' ? '' : `${start}/`;
  // Folders are kept here, not on the stack, and links to folders are not followed: nothing goes round.
  const waiting: Waiting[] = [{ path: prefix, states: glob.step(glob.start, prefix) }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, states } = next;
    const entries = await listed(join(folder, path), walked);
    walked.entries += entries.length;
    if (walked.entries > MAX_ENTRIES) return { status: 'too-many', limit: MAX_ENTRIES };
    for (const entry of entries) {
      const here = { path: `${path}${entry.name}`, states: glob.step(states, entry.name) };
      if (entry.isDirectory()) waiting.push(...below(here, entry.name, { glob, pattern }));
      else if (glob.accepts(here.states) && (await isFile(entry, join(folder, here.path))))
        found.push(here.path);
    }
  }
  return { status: 'ok', paths: found.sort() };
}

/** A folder to go on with; none when nothing in it can match, or when it is not searched. */
function below(
  { path, states }: Waiting,
  name: string,
  { glob, pattern }: { readonly glob: GlobMatcher; readonly pattern: string },
): readonly Waiting[] {
  const inside = glob.step(states, '/');
  if (inside.length === 0 || path.length > MAX_PATH || isSkipped(name, pattern)) return [];
  return [{ path: `${path}/`, states: inside }];
}

function listed(folder: string, { listings }: Walk): Promise<readonly Dirent[]> {
  const known = listings.get(folder) ?? entriesIn(folder);
  listings.set(folder, known);
  return known;
}

/** Hidden folders and installed packages are searched only when the pattern names them. */
function isSkipped(name: string, pattern: string): boolean {
  if (isPrivate(name)) return true;
  return (name.startsWith('.') || name === 'node_modules') && !pattern.split('/').includes(name);
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return [];
    throw thrown;
  }
}

/** Also true for a link that cannot be followed: reading it tells why. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
}

/** Hands out at most `count` slots at a time, in order of asking; each is given back by calling it. */
function slotsOf(count: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return release;
  };
}
