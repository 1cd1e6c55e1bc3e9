import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A name for a socket that nobody else on the machine can connect to. */
export interface PrivateSocket {
  /** Path of the socket; on Windows the name of a pipe, which only its maker may write to. */
  readonly path: string;
  /** Its folder, this user's alone (0700); empty on Windows. */
  readonly folder: string;
  /** Takes the name away; connections stay. Safe to call twice. */
  remove(): void;
}

/** Longest path that every system takes for a socket, in bytes: macOS has 104 with the end, Linux 108. */
const PATH_BYTES = 103;

/** Room that the folder's own name and the socket's take. */
const NAME_BYTES = 20;

/** Makes the name, in the folder for temporary files unless its path is too long for sockets. */
export function privateSocket(temporary = tmpdir()): PrivateSocket {
  if (process.platform === 'win32') {
    return {
      path: `\\\\.\\pipe\\windlass-${randomBytes(16).toString('hex')}`,
      folder: '',
      remove: () => undefined,
    };
  }
  const fits = Buffer.byteLength(temporary) + NAME_BYTES <= PATH_BYTES;
  const folder = mkdtempSync(join(fits ? temporary : '/tmp', 'windlass-'));
  return {
    path: join(folder, 'node'),
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
