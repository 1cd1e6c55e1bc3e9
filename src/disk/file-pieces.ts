import { WindlassError } from '../model/error.js';
import type { OpenFile } from './disk.js';
import { fileFailure } from './private-file.js';

/** Bytes of a piece. */
const PIECE = 1 << 20;

/** A part of a file: from one offset to another. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Takes a piece; it is good until the promise is settled that this may return. */
export type TakePiece = (piece: Uint8Array) => unknown;

/**
 * Hands on a part of a file in pieces, each good until the next, so that a long file is never in memory whole.
 *
 * @throws STATE_WRITE when it cannot be read, or has become shorter meanwhile; what `take` throws
 */
export async function readPieces(
  path: string,
  file: Pick<OpenFile, 'read'>,
  { from, to }: ByteRange,
  take: TakePiece,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(PIECE, to - from)));
  for (let at = from; at < to;) {
    const { bytesRead } = await read(path, file, buffer.subarray(0, to - at), at);
    if (bytesRead === 0) throw new WindlassError('STATE_WRITE', `${path} became shorter while it was read.`);
    await take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** A part of a file in memory of its own; a short one. @throws as {@link readPieces} does */
export async function readRange(
  path: string,
  file: Pick<OpenFile, 'read'>,
  range: ByteRange,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await readPieces(path, file, range, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces);
}

async function read(
  path: string,
  file: Pick<OpenFile, 'read'>,
  target: Uint8Array,
  position: number,
): Promise<{ readonly bytesRead: number }> {
  try {
    return await file.read(target, 0, target.length, position);
  } catch (thrown) {
    throw fileFailure(path, thrown);
  }
}
