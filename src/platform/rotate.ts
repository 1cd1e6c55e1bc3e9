import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rotateKek } from './chain/rotation.js';
import { kekOf } from './chain/vault.js';
import { lockFolder } from './state/lock.js';
import { makeKek, OWN_KEK_FILE, ownKek } from './state/own-kek.js';
import { openStore, type StorePlace } from './store.js';

/**
 * Wraps what a stopped platform sealed, custodial keys and people, with the key in a file, which is made when missing.
 * All or none of it; the key that the data folder made for itself is then of no use and removed.
 *
 * @param keys.from key that wraps it now; undefined: the data folder's own
 * @param keys.to path of the new key
 * @returns how many data keys were wrapped
 * @throws Error named `FolderLocked` or `DatabaseLocked` while the platform runs; KekMismatch
 */
export async function rotatePlatformKey(
  place: StorePlace,
  keys: { readonly from: Uint8Array | string | undefined; readonly to: string },
): Promise<number> {
  const unlock = lockFolder(place.dataDir);
  try {
    const from = kekOf(keys.from ?? ownKek(place.dataDir, false));
    const to = kekOf(existsSync(keys.to) ? readFileSync(keys.to, 'utf8') : makeKek(keys.to));
    const records = await openStore(place);
    try {
      const count = await rotateKek(records, from, to);
      rmSync(join(place.dataDir, OWN_KEK_FILE), { force: true });
      return count;
    } finally {
      await records.close();
    }
  } finally {
    unlock();
  }
}
