import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** File of the key-encryption key that a data folder makes for itself; mode 0600. */
export const OWN_KEK_FILE = 'key-encryption.key';

/**
 * The key-encryption key of a data folder that was given none: made once, kept beside the data. Who takes the folder
 * takes the keys, so this is for trials and for one machine.
 *
 * @throws Error when the process says that it is in production
 */
export function ownKek(folder: string, production: boolean): Uint8Array {
  const path = join(folder, OWN_KEK_FILE);
  if (production) {
    throw new Error(
      'in production the key-encryption key is given from outside the data folder: a file or the environment',
    );
  }
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ENOENT') throw cause;
    return makeKek(path);
  }
}

/** Makes a file with a new key-encryption key. */
export function makeKek(path: string): Uint8Array {
  const key = randomBytes(32);
  writeFileSync(`${path}.tmp`, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
  return key;
}
