import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Quotas } from '../admission/quotas.js';
import { QuotaUsed } from '../admission/refusals.js';
import type { Reader, TableGroup } from '../state/records.js';
import { DiskFiles } from './disk-files.js';
import type { Files, PutFile } from './files.js';

/** Tables of kept files. */
export const FILE_TABLES: TableGroup = {
  name: 'files',
  statements: [
    `CREATE TABLE IF NOT EXISTS files (
      org TEXT NOT NULL, path TEXT NOT NULL, content_type TEXT NOT NULL, PRIMARY KEY (org, path))`,
    'CREATE INDEX IF NOT EXISTS files_by_path ON files (path)',
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
  readonly size: number;
  readonly stream: Readable;
  readonly contentType: string;
  readonly name: string;
}

/** How much each organisation may keep. */
export interface Room {
  readonly reader: Reader;
  readonly quotas: Quotas;
}

/**
 * Files under one folder, and small documents in the records, each once by the SHA-256 of its bytes: equal uploads share
 * it, and a path's content can never change.
 *
 * @param folder made when missing
 * @param base today's base of the URLs, without a trailing slash
 */
export function openFiles(folder: string, base: () => string, { reader, quotas }: Room): Files {
  const disk = new DiskFiles(folder);
  const room = quotas.limit('storedBytes');
  const documentOf = async (digest: string): Promise<Buffer | undefined> => {
    const sql = 'SELECT content FROM documents WHERE digest = ?';
    const row = await reader.first<{ content: string }>(sql, [digest]);
    return row && Buffer.from(row.content);
  };
  return {
    put: async ({ org, name, contentType, bytes }) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      const path = `/files/${digest}/${plainName(name)}`;
      const text = rowText(contentType, bytes);
      const size = bytes.byteLength;
      const file = { org, path, contentType, size, ...(text !== undefined && { text }) };
      if (room !== Infinity && (await roomTaken(reader, file)) > room)
        throw new QuotaUsed(507, 'storedBytes', room);
      if (text === undefined) await disk.hold(digest, bytes);
      return file;
    },
    release: async (files, kept) => {
      for (const { path, text } of files) {
        const digest = digestOf(path);
        if (text === undefined) await disk.release(digest, kept ? undefined : () => isKept(reader, digest));
      }
    },
    url: (path) => `${base()}${path}`,
    read: async (path) => (await documentOf(digestOf(path))) ?? disk.read(digestOf(path)),
    open: async (path) => {
      const document = await documentOf(digestOf(path));
      return document
        ? { size: document.length, stream: Readable.from([document]) }
        : disk.open(digestOf(path));
    },
    keep: async (writer, { org, path, contentType, size, text }) => {
      const sql =
        'INSERT INTO files (org, path, content_type) VALUES (?, ?, ?) ON CONFLICT (org, path) DO NOTHING';
      if ((await writer.run(sql, [org, path, contentType])) === 0) return;
      if (text !== undefined) {
        const content = 'INSERT INTO documents (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING';
        await writer.run(content, [digestOf(path), text]);
      }
      // Others may have taken the room since the file was put.
      await quotas.take(writer, org, 'storedBytes', size);
    },
  };
}

/** Files that remember what was put through them, so that it is kept or removed as a whole. */
export function putsOf(files: Files): { readonly files: Files; end(kept: boolean): Promise<void> } {
  const put: PutFile[] = [];
  return {
    files: {
      ...files,
      put: async (file) => {
        const made = await files.put(file);
        put.push(made);
        return made;
      },
    },
    end: (kept) => files.release(put.splice(0), kept),
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
  return { ...(await files.open(path)), contentType, name };
}

function digestOf(path: string): string {
  const digest = PATH.exec(path)?.[1];
  if (digest === undefined) throw new Error(`no path of a kept file: ${path}`);
  return digest;
}

/** Whether anybody keeps a file of this digest, under whatever name. */
async function isKept(reader: Reader, digest: string): Promise<boolean> {
  // Behind the slash of the path comes the zero in the order of bytes.
  const sql = 'SELECT path FROM files WHERE path >= ? AND path < ? LIMIT 1';
  return (await reader.first(sql, [`/files/${digest}/`, `/files/${digest}0`])) !== undefined;
}

/** Bytes that the organisation keeps once this file is among them. */
async function roomTaken(reader: Reader, { org, path, size }: PutFile): Promise<number> {
  const row = await reader.first<{ bytes: number; known: number }>(
    `SELECT COALESCE((SELECT used FROM quota_use WHERE org = ? AND quota = 'storedBytes'), 0) AS bytes,
       (SELECT count(*) FROM files WHERE org = ? AND path = ?) AS known`,
    [org, org, path],
  );
  return (row?.bytes ?? 0) + (row?.known === 0 ? size : 0);
}

/** The text of what is kept in a row; undefined: it goes onto the disk. */
function rowText(contentType: string, bytes: Uint8Array): string | undefined {
  if (contentType !== 'application/json' || bytes.byteLength > ROW_BYTES || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // No database keeps these as they are.
  return /^\uFEFF|\0/.test(text) ? undefined : text;
}

function plainName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(-120);
  return /^\.*$/.test(plain) ? 'file' : plain;
}
