import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Rpc } from './rpc.js';

/** A saved state of the chain after block `number`. */
export interface Snapshot {
  readonly number: number;
  readonly path: string;
}

/** Snapshots in a folder, newest first. The block log can rebuild what they hold; they only save time. */
export async function listSnapshots(folder: string): Promise<readonly Snapshot[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => {
      const match = /^state-(\d+)\.json$/.exec(name);
      return match ? [{ number: Number(match[1]), path: join(folder, name) }] : [];
    })
    .sort((a, b) => b.number - a.number);
}

/**
 * Saves the chain's state after block `number`, complete or not at all, and removes all but the two newest.
 * Anvil's own dump writes in place and leaves an empty file when it dies; this one is renamed when it is on disk.
 */
export async function saveSnapshot(rpc: Rpc, folder: string, number: number): Promise<void> {
  const dump = await rpc.request('anvil_dumpState', []);
  if (typeof dump !== 'string') throw new Error('the node gave no state');
  const path = join(folder, `state-${String(number)}.json`);
  const unfinished = `${path}.tmp`;
  try {
    await writeFile(unfinished, gunzipSync(Buffer.from(dump.slice(2), 'hex')), { flush: true, mode: 0o600 });
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
  const directory = await open(folder, 'r');
  await directory.sync();
  await directory.close();
  for (const old of (await listSnapshots(folder)).slice(2)) await rm(old.path, { force: true });
}
