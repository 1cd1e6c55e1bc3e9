import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { FetchError } from './fetch-error.js';

/** Most bytes that a tarball may unpack to, whatever is kept of it. */
const MOST_UNPACKED: number = 256 * 1024 * 1024;

/** Most bytes that are kept of one. */
const MOST_KEPT: number = 64 * 1024 * 1024;

/** Most entries of one: files, folders and links. */
const MOST_ENTRIES = 20_000;

/**
 * Unpacks what is wanted of a package's tarball into memory: nothing reaches a disk, so that no link and no path of it
 * can. Links are not followed and not kept. It stops while unpacking where a limit is passed.
 *
 * @param told what it is, for messages
 * @param wanted by path below the package's folder, with forward slashes
 * @returns regular files by that path
 * @throws FetchError `broken`
 */
export async function unpack(
  bytes: Uint8Array,
  told: string,
  wanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const { Parser } = await import('tar');
  const files = new Map<string, Buffer>();
  const counted = { entries: 0, unpacked: 0, kept: 0 };
  const broken = (reason: string): FetchError => new FetchError(told, 'broken', reason);
  const gunzip = createGunzip();
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      gunzip.destroy();
      reject(broken(reason));
    };
    const take = (entry: ReadEntry): void => {
      counted.entries += 1;
      if (counted.entries > MOST_ENTRIES)
        return fail(`its tarball has more than ${String(MOST_ENTRIES)} entries`);
      const path = pathIn(entry.path);
      if (path === undefined) return fail('its tarball has a path that leads out of its folder');
      const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile';
      if (!isFile || !wanted(path)) {
        entry.resume();
        return;
      }
      counted.kept += entry.size;
      if (counted.kept > MOST_KEPT) return fail('its files are larger than any source');
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => files.set(path, Buffer.concat(chunks)));
    };
    const parser = new Parser({ onReadEntry: take, gzip: false, brotli: false, zstd: false });
    parser.on('error', () => fail('its tarball is damaged'));
    parser.on('end', () => (counted.entries === 0 ? fail('its tarball is damaged') : resolve(files)));
    gunzip.on('error', () => fail('its tarball is damaged'));
    gunzip.on('data', (chunk: Buffer) => {
      counted.unpacked += chunk.length;
      if (counted.unpacked > MOST_UNPACKED)
        return fail(`its tarball unpacks to more than ${String(MOST_UNPACKED / 1024 / 1024)} MiB`);
      parser.write(chunk);
    });
    gunzip.on('end', () => parser.end());
    gunzip.end(bytes);
  });
}

/** The path below the package's folder, which is the first part; undefined when it leads out of it. */
function pathIn(path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const plain = !path.startsWith('/') && !/[\\\0]|^[A-Za-z]:/.test(path) && !parts.includes('..');
  return plain ? parts.slice(1).join('/') : undefined;
}
