import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './state/lock.js';
import { OWN_KEK_FILE } from './state/own-kek.js';

/**
 * Forgets everything a stopped platform knew: records, chain, files, wallets, identity. Compilers stay.
 *
 * @throws Error named `FolderLocked` when a platform uses the folder
 */
export async function resetPlatform(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(dataDir);
  const parts = [
    'records.db',
    'records.db-wal',
    'records.db-shm',
    'chain',
    'files',
    'identity.json',
    OWN_KEK_FILE,
  ];
  for (const part of parts) await rm(join(dataDir, part), { recursive: true, force: true });
  unlock();
}
