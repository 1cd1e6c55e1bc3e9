import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError } from '../handlers/handler.js';
import type { Reader, TableGroup } from '../state/records.js';
import type { Files, PutFile } from './files.js';

/** Tables of kept files, and of how many bytes each organisation keeps. */
export const FILE_TABLES: TableGroup = {
  name: 'files',
  statements: [
    `CREATE TABLE IF NOT EXISTS files (
      org TEXT NOT NULL, path TEXT NOT NULL, content_type TEXT NOT NULL, PRIMARY KEY (org, path))`,
    'CREATE INDEX IF NOT EXISTS files_by_path ON files (path)',
    'CREATE TABLE IF NOT EXISTS stored_bytes (org TEXT PRIMARY KEY, bytes INTEGER NOT NULL)',
  ],
};

const PATH = /^\/files\/([0-9a-f]{64})\/([A-Za-z0-9._-]{1,120})$/;

/** Content types that files are served with; everything else is bytes without a meaning. */
const SERVED = new Set([
  'application/json',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/svg+xml',
]);

/** A file ready to be served. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly name: string;
}

/** How much each organisation may keep. */
export interface Quota {
  readonly reader: Reader;
  /** In bytes; undefined: as much as the disk holds. */
  readonly bytes: number | undefined;
}

/**
 * Files under one folder, each once by the SHA-256 of its bytes: equal uploads share it, and a path's content can
 * never change.
 *
 * @param folder made when missing
 * @param base today's base of the URLs, without a trailing slash
 */
export function openFiles(folder: string, base: () => string, quota: Quota): Files {
  const room = quota.bytes ?? Infinity;
  return {
    put: async ({ org, name, contentType, bytes }) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      const file = { org, path: `/files/${digest}/${plainName(name)}`, contentType, size: bytes.byteLength };
      if (Number.isFinite(room) && (await roomTaken(quota.reader, file)) > room) throw noRoom();
      await writeOnce(placeOf(folder, digest), bytes);
      return file;
    },
    url: (path) => `${base()}${path}`,
    read: async (path) => {
      const digest = PATH.exec(path)?.[1];
      if (digest === undefined) throw new Error(`no path of a kept file: ${path}`);
      return readFile(placeOf(folder, digest));
    },
    keep: async (writer, { org, path, contentType, size }) => {
      const sql =
        'INSERT INTO files (org, path, content_type) VALUES (?, ?, ?) ON CONFLICT (org, path) DO NOTHING';
      if ((await writer.run(sql, [org, path, contentType])) === 0) return;
      const taken = await writer.first<{ bytes: number }>(
        `INSERT INTO stored_bytes (org, bytes) VALUES (?, ?)
         ON CONFLICT (org) DO UPDATE SET bytes = stored_bytes.bytes + ? RETURNING bytes`,
        [org, size, size],
      );
      // Others may have taken the room since the file was put.
      if ((taken?.bytes ?? 0) > room) throw noRoom();
    },
  };
}

/** The file at a path that somebody keeps; undefined when nobody does. Paths are unguessable, so anybody may read. */
export async function servedFile(
  reader: Reader,
  files: Files,
  path: string,
): Promise<ServedFile | undefined> {
  const name = PATH.exec(path)?.[2];
  const sql = 'SELECT content_type FROM files WHERE path = ? LIMIT 1';
  const row = name === undefined ? undefined : await reader.first<{ content_type: string }>(sql, [path]);
  if (name === undefined || !row) return undefined;
  const contentType = SERVED.has(row.content_type) ? row.content_type : 'application/octet-stream';
  return { bytes: await files.read(path), contentType, name };
}

/** Bytes that the organisation keeps once this file is among them. */
async function roomTaken(reader: Reader, { org, path, size }: PutFile): Promise<number> {
  const row = await reader.first<{ bytes: number; known: number }>(
    `SELECT COALESCE((SELECT bytes FROM stored_bytes WHERE org = ?), 0) AS bytes,
       (SELECT count(*) FROM files WHERE org = ? AND path = ?) AS known`,
    [org, org, path],
  );
  return (row?.bytes ?? 0) + (row?.known === 0 ? size : 0);
}

function noRoom(): ServiceError {
  return new ServiceError(413, 'The organisation has no room left for files.');
}

async function writeOnce(place: string, bytes: Uint8Array): Promise<void> {
  const size = await stat(place).then(
    (found) => found.size,
    () => -1,
  );
  if (size === bytes.byteLength) return;
  await mkdir(dirname(place), { recursive: true });
  const unfinished = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, place);
}

function placeOf(folder: string, digest: string): string {
  return join(folder, digest.slice(0, 2), digest);
}

function plainName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(-120);
  return /^\.*$/.test(plain) ? 'file' : plain;
}
