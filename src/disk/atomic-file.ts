import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { REAL_DISK, type Disk, type OpenFile } from './disk.js';
import { fileFailure, syncFolder, systemCode } from './private-file.js';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/**
 * Puts a file in place whole: a reader, or a crash at any moment, sees the old bytes or the new ones. Durable when
 * it returns. The folder must exist; a link or folder in the file's place is refused, never followed.
 *
 * @param bytes all of them, or one after the other
 * @param mode of the new file, before the umask; 0600 unless given
 * @throws STATE_UNSAFE, STATE_WRITE; the file is then as it was
 */
export async function writeAtomically(
  path: string,
  bytes: string | Uint8Array | readonly Uint8Array[],
  mode = 0o600,
  disk: Disk = REAL_DISK,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await refuseOtherThanFile(path, disk);
    const file = await disk.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    try {
      for (const piece of piecesOf(bytes)) await writeAll(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
    await syncFolder(dirname(path), disk);
  } catch (thrown) {
    await disk.unlink(temporary).catch(() => undefined);
    throw fileFailure(path, thrown);
  }
}

/** Writes every byte, however few the system takes at a time. */
export async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    const { bytesWritten } = await file.write(rest);
    if (bytesWritten <= 0) throw new Error('the disk takes no more bytes');
    rest = rest.subarray(bytesWritten);
  }
}

function piecesOf(bytes: string | Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] {
  if (typeof bytes === 'string') return [Buffer.from(bytes)];
  return bytes instanceof Uint8Array ? [bytes] : bytes;
}

async function refuseOtherThanFile(path: string, disk: Disk): Promise<void> {
  try {
    if ((await disk.lstat(path)).isFile()) return;
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return;
    throw thrown;
  }
  throw new WindlassError('STATE_UNSAFE', `${path} is a link or not a regular file.`);
}
