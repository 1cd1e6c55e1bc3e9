import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ArchiveBroken, columnsOf, definitionOf, tableNames } from './archive-tables.js';
import { lockFolder } from './state/lock.js';
import type { Records, Value, Writer } from './state/records.js';
import { openStore, type StorePlace } from './store.js';

/** What an archive held, or holds now. */
export interface ArchiveCounts {
  readonly rows: number;
  readonly files: number;
}

/** What a platform holds that was filled from an archive. */
export interface Imported extends ArchiveCounts {
  /** Id of the key-encryption key without which it does not start; undefined when it makes one of its own. */
  readonly kek: string | undefined;
}

/** First line of an archive. */
const HEAD = { windlass_platform_archive: 1 };

type Row = Readonly<Record<string, Value>>;
type Line =
  | typeof HEAD
  | { readonly identity: string }
  | { readonly table: string; readonly row: Row }
  | { readonly file: string; readonly base64: string }
  | { readonly end: string };

const IDENTITY = 'identity.json';
const PAGE = 500;

/**
 * Writes everything of a stopped platform into one compressed file: identity, records, kept files. Chains are not in
 * it: the embedded one is replayed from its log, which is. Custodial keys and people stay sealed: the key-encryption key
 * is kept apart. Mode 0600: names, and what organisations recorded, may be personal data.
 *
 * @throws Error named `FolderLocked` or `DatabaseLocked` while the platform runs
 */
export async function exportPlatform(place: StorePlace, path: string): Promise<ArchiveCounts> {
  const unlock = lockFolder(place.dataDir);
  const counts = { rows: 0, files: 0 };
  const unfinished = `${path}.tmp`;
  try {
    const records = await openStore(place);
    try {
      const lines = Readable.from(linesOf(records, place.dataDir, counts));
      await pipeline(lines, createGzip(), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    } finally {
      await records.close();
    }
    await rename(unfinished, path);
    return counts;
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  } finally {
    unlock();
  }
}

async function* linesOf(
  records: Records,
  dataDir: string,
  counts: { rows: number; files: number },
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const line = (value: Line): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line(HEAD);
  yield line({ identity: await readFile(join(dataDir, IDENTITY), 'utf8') });
  for (const table of tableNames()) {
    for (let offset = 0; ; offset += PAGE) {
      const order = columnsOf(table).map((column) => `"${column}"`);
      const sql = `SELECT * FROM ${table} ORDER BY ${order.join(', ')} LIMIT ? OFFSET ?`;
      const rows = await records.all<Row>(sql, [PAGE, offset]);
      for (const row of rows) yield line({ table, row });
      counts.rows += rows.length;
      if (rows.length < PAGE) break;
    }
  }
  for (const file of filesIn(join(dataDir, 'files'))) {
    yield line({ file, base64: (await readFile(join(dataDir, 'files', file))).toString('base64') });
    counts.files += 1;
  }
  yield `${JSON.stringify({ end: digest.digest('hex') })}\n`;
}

/**
 * Fills an empty data folder, and an empty database, from an archive: all of it or nothing.
 *
 * @throws ArchiveBroken; Error when the folder or the database has a platform already
 */
export async function importPlatform(place: StorePlace, path: string): Promise<Imported> {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(place.dataDir);
  try {
    if (existsSync(join(place.dataDir, IDENTITY))) throw new Error('the data folder has a platform already');
    const records = await openStore(place);
    try {
      return await fill(records, place.dataDir, path);
    } finally {
      await records.close();
    }
  } finally {
    unlock();
  }
}

async function fill(records: Records, dataDir: string, path: string): Promise<Imported> {
  const counts = { rows: 0, files: 0 };
  let identity: string | undefined;
  // One transaction, whatever its size: what is half there would be taken for a platform.
  await records.transact(async (writer) => {
    if (await writer.first('SELECT key FROM meta LIMIT 1'))
      throw new Error('the database has a platform already');
    for await (const line of checkedLines(path)) {
      if ('identity' in line) identity = line.identity;
      if ('row' in line) counts.rows += await putRow(writer, line.table, line.row);
      if ('file' in line) counts.files += await putFile(dataDir, line);
    }
    await countOn(writer);
    if (identity?.includes('"seed":"development"') === true) await forgetKnownKeys(writer);
  });
  if (identity === undefined) throw new ArchiveBroken('it names no platform');
  // Last: a folder without it begins anew.
  await writeFile(join(dataDir, IDENTITY), identity, { mode: 0o600, flush: true });
  const needed = await records.first<{ value: string }>(`SELECT value FROM meta WHERE key = 'kek'`);
  return { ...counts, kek: needed?.value };
}

/** The lines of an archive, each checked as far as that goes before its end. @throws ArchiveBroken */
async function* checkedLines(path: string): AsyncGenerator<Line> {
  const digest: Hash = createHash('sha256');
  let count = 0;
  let ended = false;
  try {
    for await (const text of unzippedLines(path)) {
      const line = JSON.parse(text) as Line;
      if (count === 0 && !('windlass_platform_archive' in line)) throw new ArchiveBroken('it is none');
      if (ended) throw new ArchiveBroken('something follows its end');
      if ('end' in line) ended = line.end === digest.digest('hex');
      else digest.update(`${text}\n`);
      if ('end' in line && !ended) throw new ArchiveBroken('it was changed');
      count += 1;
      yield line;
    }
  } catch (cause) {
    if (cause instanceof ArchiveBroken) throw cause;
    throw new ArchiveBroken(cause instanceof Error ? cause.message : 'it cannot be read');
  }
  if (!ended) throw new ArchiveBroken('it is cut short');
}

/** A reader of lines hears of no error of its input and would wait for ever, so the error ends it here. */
async function* unzippedLines(path: string): AsyncGenerator<string> {
  const unzipped = createGunzip();
  const lines = createInterface({ input: unzipped, crlfDelay: Infinity });
  let unreadable: unknown;
  const fed = pipeline(createReadStream(path), unzipped).catch((cause: unknown) => {
    unreadable = cause;
    lines.close();
  });
  try {
    yield* lines;
    await fed;
    if (unreadable !== undefined) throw unreadable;
  } finally {
    unzipped.destroy();
  }
}

async function putRow(writer: Writer, table: string, row: Row): Promise<number> {
  const known = columnsOf(table);
  const columns = Object.keys(row).filter((name) => known.includes(name));
  if (columns.length !== Object.keys(row).length) throw new ArchiveBroken(`${table} has an unknown column`);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const sql = `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  return writer.run(
    sql,
    columns.map((name) => row[name] ?? null),
  );
}

async function putFile(
  dataDir: string,
  { file, base64 }: { readonly file: string; readonly base64: string },
): Promise<number> {
  const bytes = Buffer.from(base64, 'base64');
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (file !== `${digest.slice(0, 2)}/${digest}`) throw new ArchiveBroken('a file is not what its name says');
  const path = join(dataDir, 'files', digest.slice(0, 2), digest);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes, { mode: 0o600, flush: true });
  return 1;
}

/**
 * Keys that everybody knows are sealed anew at the next start. When nothing else is sealed, any key-encryption key will
 * do; otherwise the one that sealed it is needed.
 */
async function forgetKnownKeys(writer: Writer): Promise<void> {
  const known = `SELECT id FROM wallets WHERE path LIKE 'm/%'`;
  await writer.run(`DELETE FROM wallet_keys WHERE wallet_id IN (${known})`);
  const sealed = `SELECT wallet_id FROM wallet_keys UNION SELECT wallet_id FROM wallet_people LIMIT 1`;
  if (!(await writer.first(sealed))) await writer.run(`DELETE FROM meta WHERE key = 'kek'`);
}

/** Ids go on behind those that were put in; SQLite does so by itself, Postgres is told. */
async function countOn(writer: Writer): Promise<void> {
  const postgres = await writer
    .first<{ n: number }>(`SELECT count(*) AS n FROM information_schema.sequences`)
    .catch(() => undefined);
  if (!postgres) return;
  for (const table of tableNames().filter((name) => /\bid INTEGER PRIMARY KEY/.test(definitionOf(name)))) {
    const sql = `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table})) AS n`;
    await writer.first(sql);
  }
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((shard) => readdirSync(join(folder, shard)).map((name) => `${shard}/${name}`))
    .filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{64}$/.test(name))
    .sort();
}
