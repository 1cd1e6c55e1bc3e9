import { parseBoundedJson } from '../model/bounded-json.js';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { certificateId, parseResourceId, type ResourceId } from '../model/id.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Target } from './event.js';
import type { Lock, LockEntry } from './lock.js';
import { lockEntry } from './lock-record.js';
import {
  jsonFault,
  lineOf,
  LockfileFault,
  readingOf,
  UNNAMED,
  type LockfileNames,
} from './lockfile-fault.js';
import { addressesOf, LOCKFILE_VERSION } from './lockfile-text.js';
import { targetMembers } from './target.js';

/** What the main file says without its sidecars. */
export interface LockfileHead {
  readonly lineage: string;
  readonly serial: number;
  readonly target: Target;
  /** Resources outside batches. */
  readonly entries: ReadonlyMap<ResourceId, LockEntry>;
  readonly batches: ReadonlyMap<string, { readonly rows: number; readonly digest: string }>;
}

/**
 * The lock that the texts hold; the inverse of `formatLock`. Line ends may be those of any system.
 *
 * @param names what the files are called in errors
 * @throws LOCK_UNREADABLE when a text is damaged, edited so that its parts contradict one another, of a newer
 * version, or when a sidecar is missing or not the one that the main file names; with file and line
 */
export function parseLock(
  main: string,
  batches: ReadonlyMap<string, string>,
  names: LockfileNames = UNNAMED,
): Lock {
  const { batches: named, entries: inline, ...head } = parseLockfileHead(main, names);
  const entries = new Map(inline);
  for (const [batch, summary] of named) {
    const line = lineOf(main, JSON.stringify(batch));
    const found = readingOf(names.batch(batch), () => parseRows(batch, batches.get(batch), summary));
    const wrong =
      found.length === summary.rows
        ? undefined
        : `it names ${summary.rows} rows, and there are ${found.length}`;
    readingOf(names.main, () => {
      if (wrong !== undefined) throw new LockfileFault(`batch ${batch}: ${wrong}`, line);
    });
    for (const entry of found) entries.set(entry.id, entry);
  }
  return { ...head, entries };
}

/** The main file alone. @param names what the files are called in errors @throws LOCK_UNREADABLE with file and line */
export function parseLockfileHead(main: string, names: LockfileNames = UNNAMED): LockfileHead {
  const text = unixLines(main);
  return readingOf(names.main, () => headOf(text));
}

function headOf(text: string): LockfileHead {
  const marks = /^(<{7}|={7}|>{7})( |$)/m.exec(text)?.[0];
  if (marks !== undefined)
    throw new LockfileFault('it holds the marks of an unfinished merge', lineOf(text, marks));
  const value = parseJson(text);
  const version = member(value, 'version');
  if (version !== LOCKFILE_VERSION)
    throw new LockfileFault(`its version is ${JSON.stringify(version)}`, lineOf(text, '"version"'));
  const serial = member(value, 'serial');
  if (!Number.isSafeInteger(serial) || Number(serial) < 0)
    throw new LockfileFault('`serial` is not a count', lineOf(text, '"serial"'));
  const entries = parseEntries(objectOf(value, 'resources'), text);
  checkAddresses(objectOf(value, 'addresses'), [...entries.values()], text);
  const target = parseTarget(member(value, 'target'));
  return {
    lineage: textOf(value, 'lineage'),
    serial: Number(serial),
    target,
    entries,
    batches: parseBatches(value),
  };
}

/** The rows of one batch. A row that is damaged is named; one that was changed into another good one cannot be told. */
function parseRows(
  batch: string,
  written: string | undefined,
  { digest }: { readonly digest: string },
): readonly LockEntry[] {
  if (written === undefined) throw new LockfileFault('the file is missing');
  const text = unixLines(written);
  const rows = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);
  const entries = rows.map((line, index) => parseRow(batch, line, index + 1));
  const seen = new Set<ResourceId>();
  for (const [index, { id }] of entries.entries()) {
    if (seen.has(id)) throw new LockfileFault('the row with this key stands there twice', index + 1);
    seen.add(id);
  }
  if (digestOfBytes(text) !== digest)
    throw new LockfileFault(
      'rows were added, removed or changed: it is not the file that the lockfile names',
    );
  return entries;
}

function parseRow(batch: string, line: string, number: number): LockEntry {
  try {
    if (/^(<{7}|={7}|>{7})( |$)/.test(line))
      throw new LockfileFault('it holds the marks of an unfinished merge');
    const row = rowOf(line);
    const id = certificateId(batch, textOf(row, 'key'));
    const entry = lockEntry(id, row);
    if (typeof entry === 'string') throw new LockfileFault(`the row ${entry}`);
    return entry;
  } catch (thrown) {
    if (thrown instanceof LockfileFault) throw new LockfileFault(thrown.message, number);
    throw thrown;
  }
}

function parseEntries(resources: JsonObject, text: string): ReadonlyMap<ResourceId, LockEntry> {
  const entries = new Map<ResourceId, LockEntry>();
  for (const [key, record] of Object.entries(resources)) {
    if (parseResourceId(key) === undefined)
      throw new LockfileFault(
        `${JSON.stringify(key)} is not the id of a resource`,
        lineOf(text, JSON.stringify(key)),
      );
    const id = key as ResourceId;
    const entry = lockEntry(id, record);
    if (typeof entry === 'string')
      throw new LockfileFault(`${id} ${entry}`, lineOf(text, `${JSON.stringify(key)}: {`));
    entries.set(id, entry);
  }
  return entries;
}

/** `addresses` repeats what the entries say, for readers; where they differ, somebody edited one of them. */
function checkAddresses(addresses: JsonObject, entries: readonly LockEntry[], text: string): void {
  const expected: JsonObject = Object.fromEntries(addressesOf(entries));
  const ids = [...Object.keys(addresses), ...Object.keys(expected)];
  const wrong = ids.find((id) => addresses[id] !== expected[id]);
  if (wrong !== undefined)
    throw new LockfileFault(
      `\`addresses\` and the entry of ${wrong} name different addresses`,
      lineOf(text, JSON.stringify(wrong)),
    );
}

function parseTarget(value: Json | undefined): Target {
  return {
    origin: textOf(value, 'origin'),
    client: textOf(value, 'client') as Digest,
    ...targetMembers(value),
  };
}

function parseBatches(value: Json): LockfileHead['batches'] {
  return new Map(
    Object.entries(objectOf(value, 'batches')).map(([name, summary]) => [
      name,
      { rows: Number(member(summary, 'rows')), digest: textOf(summary, 'digest') },
    ]),
  );
}

/** A name that stands twice in a row shows in the digest of all rows. */
function rowOf(line: string): Json {
  try {
    return parseBoundedJson(line);
  } catch {
    return parseJson(line);
  }
}

function parseJson(text: string): Json {
  const fault = jsonFault(text);
  if (fault !== undefined) throw fault;
  try {
    return parseBoundedJson(text);
  } catch {
    throw new LockfileFault('it nests deeper than any lockfile');
  }
}

function textOf(value: Json | undefined, key: string): string {
  const text = textMember(value, key);
  if (text === undefined || text === '') throw new LockfileFault(`\`${key}\` is missing`);
  return text;
}

function objectOf(value: Json, key: string): JsonObject {
  const found = member(value, key);
  if (!isJsonObject(found)) throw new LockfileFault(`\`${key}\` is missing`);
  return found;
}

/** A checkout may have changed the line ends. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
