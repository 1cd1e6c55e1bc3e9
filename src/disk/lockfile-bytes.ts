import { createHash } from 'node:crypto';
import type { Digest } from '../model/canonical.js';
import type { Lock } from '../state/lock.js';
import { formatParts } from '../state/lockfile-text.js';
import type { Disk } from './disk.js';
import { readPieces, readRange } from './file-pieces.js';
import { withPublicFile } from './private-file.js';

/** Characters that are encoded together. */
const CHUNK = 1 << 18;

/** A file as it is to be written: its bytes, one piece after the other. */
export interface EncodedFile {
  readonly bytes: readonly Uint8Array[];
  readonly digest: Digest;
}

/** The files of a lock, all of the moment of the call: the lock may change afterwards. */
export function encodeLock(lock: Lock): {
  readonly main: EncodedFile;
  /** Batch name → its sidecar. */
  readonly batches: ReadonlyMap<string, EncodedFile>;
} {
  const batches = new Map<string, EncodedFile>();
  let main = encodeFile([]);
  for (const { batch, pieces } of formatParts(lock)) {
    const file = encodeFile(pieces);
    if (batch === undefined) main = file;
    else batches.set(batch, file);
  }
  return { main, batches };
}

/** Text in UTF-8, in pieces of fair size. */
export function* encodePieces(pieces: Iterable<string>): Generator<Uint8Array, undefined> {
  let waiting: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < CHUNK) continue;
    yield Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(waiting.join(''));
}

function encodeFile(pieces: Iterable<string>): EncodedFile {
  const hash = createHash('sha256');
  const bytes: Uint8Array[] = [];
  for (const piece of encodePieces(pieces)) {
    hash.update(piece);
    bytes.push(piece);
  }
  return { bytes, digest: `sha256:${hash.digest('hex')}` };
}

/**
 * The digest of a file's bytes, which are never in memory whole; undefined when there is no such file.
 *
 * @throws STATE_UNSAFE for links and what is no regular file; STATE_WRITE
 */
export async function digestOfFile(path: string, disk: Disk): Promise<Digest | undefined> {
  return withPublicFile(path, disk, async (file, sizeBytes) => {
    const hash = createHash('sha256');
    await readPieces(path, file, { from: 0, to: sizeBytes }, (piece) => hash.update(piece));
    return `sha256:${hash.digest('hex')}` as const;
  });
}

/** True when a file holds the given bytes and no others. @throws as {@link digestOfFile} does */
export async function holdsBytes(path: string, bytes: Iterable<Uint8Array>, disk: Disk): Promise<boolean> {
  const holds = await withPublicFile(path, disk, async (file, sizeBytes) => {
    let from = 0;
    for (const piece of bytes) {
      const to = from + piece.length;
      if (to > sizeBytes || !(await readRange(path, file, { from, to })).equals(piece)) return false;
      from = to;
    }
    return from === sizeBytes;
  });
  return holds === true;
}
