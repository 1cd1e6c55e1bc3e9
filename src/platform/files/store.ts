import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
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
    'CREATE TABLE IF NOT EXISTS documents (digest TEXT PRIMARY KEY, content TEXT NOT NULL)',
  ],
};

/** Largest document that is a row, in bytes: a file of its own costs as much as everything else of a certificate. */
const ROW_BYTES = 65_536;

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
 * Files under one folder, and small documents in the records, each once by the SHA-256 of its bytes: equal uploads share it, and a path's content can
 * never change.
 *
 * @param folder made when missing
 * @param base today's base of the URLs, without a trailing slash
 */
export function openFiles(folder: string, base: () => string, quota: Quota): Files {
  const room = quota.bytes ?? Infinity;
  const write = writerOf(folder);
  return {
    put: async ({ org, name, contentType, bytes }) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      const path = `/files/${digest}/${plainName(name)}`;
      const text = rowText(contentType, bytes);
      const size = bytes.byteLength;
      const file = { org, path, contentType, size, ...(text !== undefined && { text }) };
      if (Number.isFinite(room) && (await roomTaken(quota.reader, file)) > room) throw noRoom();
      if (text === undefined) await write(digest, bytes);
      return file;
    },
    url: (path) => `${base()}${path}`,
    read: async (path) => {
      const digest = PATH.exec(path)?.[1];
      if (digest === undefined) throw new Error(`no path of a kept file: ${path}`);
      const sql = 'SELECT content FROM documents WHERE digest = ?';
      const row = await quota.reader.first<{ content: string }>(sql, [digest]);
      return row ? Buffer.from(row.content) : readFile(placeOf(folder, digest));
    },
    keep: async (writer, { org, path, contentType, size, text }) => {
      const sql =
        'INSERT INTO files (org, path, content_type) VALUES (?, ?, ?) ON CONFLICT (org, path) DO NOTHING';
      if ((await writer.run(sql, [org, path, contentType])) === 0) return;
      if (text !== undefined) {
        const content = 'INSERT INTO documents (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING';
        await writer.run(content, [PATH.exec(path)?.[1] ?? '', text]);
      }
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

/** The text of what is kept in a row; undefined: it goes onto the disk. */
function rowText(contentType: string, bytes: Uint8Array): string | undefined {
  if (contentType !== 'application/json' || bytes.byteLength > ROW_BYTES || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // No database keeps these as they are.
  return /^\uFEFF|\0/.test(text) ? undefined : text;
}

/** How many digests are remembered as written. */
const REMEMBERED = 10_000;

/** Writes a file of this digest unless it is there. What lies in the folder is not looked for twice. */
function writerOf(folder: string): (digest: string, bytes: Uint8Array) => Promise<void> {
  const there = new Set<string>();
  const folders = new Set<string>();
  return async (digest, bytes) => {
    if (there.has(digest)) return;
    const place = placeOf(folder, digest);
    const size = await stat(place).then(
      (found) => found.size,
      () => -1,
    );
    if (size !== bytes.byteLength) {
      const parent = dirname(place);
      if (!folders.has(parent)) await mkdir(parent, { recursive: true });
      folders.add(parent);
      await writeWhole(place, bytes);
    }
    if (there.size >= REMEMBERED) there.clear();
    there.add(digest);
  };
}

async function writeWhole(place: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, place);
  } catch (cause) {
    // Half a file takes room that there may be none of.
    await rm(unfinished, { force: true });
    throw cause;
  }
}

function placeOf(folder: string, digest: string): string {
  return join(folder, digest.slice(0, 2), digest);
}

function plainName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(-120);
  return /^\.*$/.test(plain) ? 'file' : plain;
}
