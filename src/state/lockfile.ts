import { digestOfBytes, type Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { certificateId, parseResourceId, type ResourceId } from '../model/id.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Target } from './event.js';
import type { Lock, LockEntry } from './lock.js';
import { lockEntry } from './lock-record.js';
import { addressesOf, LOCKFILE_VERSION } from './lockfile-text.js';

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
 * @throws LOCK_UNREADABLE when a text is damaged, edited so that its parts contradict one another, of a newer
 * version, or when a sidecar is missing or not the one that the main file names
 */
export function parseLock(main: string, batches: ReadonlyMap<string, string>): Lock {
  const { batches: named, entries: inline, ...head } = parseLockfileHead(main);
  const entries = new Map(inline);
  for (const [batch, { rows, digest }] of named) {
    const text = unixLines(batches.get(batch) ?? '');
    if (digestOfBytes(text) !== digest) {
      throw unreadable(`the rows of batch ${batch} are missing or not those that the lockfile names`);
    }
    const parsed = text
      .split('\n')
      .slice(0, -1)
      .map((line, index) => parseRow(batch, line, index + 1));
    for (const entry of parsed) entries.set(entry.id, entry);
    if (new Set(parsed.map(({ id }) => id)).size !== rows)
      throw unreadable(`batch ${batch} does not have ${rows} rows`);
  }
  return { ...head, entries };
}

/** The main file alone. @throws LOCK_UNREADABLE */
export function parseLockfileHead(main: string): LockfileHead {
  const text = unixLines(main);
  if (/^(<{7}|>{7}) /m.test(text)) throw unreadable('it holds the marks of an unfinished merge');
  const value = parseJson(text);
  const version = member(value, 'version');
  if (version !== LOCKFILE_VERSION) throw unreadable(`its version is ${JSON.stringify(version)}`);
  const serial = member(value, 'serial');
  if (!Number.isSafeInteger(serial) || Number(serial) < 0) throw unreadable('`serial` is not a count');
  const entries = parseEntries(objectOf(value, 'resources'));
  checkAddresses(objectOf(value, 'addresses'), [...entries.values()]);
  const target = parseTarget(member(value, 'target'));
  return {
    lineage: textOf(value, 'lineage'),
    serial: Number(serial),
    target,
    entries,
    batches: parseBatches(value),
  };
}

function parseRow(batch: string, line: string, number: number): LockEntry {
  const row = parseJson(line);
  const id = certificateId(batch, textOf(row, 'key'));
  const entry = lockEntry(id, row);
  if (typeof entry === 'string') throw unreadable(`line ${number} of batch ${batch} ${entry}`);
  return entry;
}

function parseEntries(resources: JsonObject): ReadonlyMap<ResourceId, LockEntry> {
  const entries = new Map<ResourceId, LockEntry>();
  for (const [key, record] of Object.entries(resources)) {
    if (parseResourceId(key) === undefined)
      throw unreadable(`${JSON.stringify(key)} is not the id of a resource`);
    const id = key as ResourceId;
    const entry = lockEntry(id, record);
    if (typeof entry === 'string') throw unreadable(`${id} ${entry}`);
    entries.set(id, entry);
  }
  return entries;
}

/** `addresses` repeats what the entries say, for readers; where they differ, somebody edited one of them. */
function checkAddresses(addresses: JsonObject, entries: readonly LockEntry[]): void {
  const expected: JsonObject = Object.fromEntries(addressesOf(entries));
  const ids = [...Object.keys(addresses), ...Object.keys(expected)];
  const wrong = ids.find((id) => addresses[id] !== expected[id]);
  if (wrong !== undefined)
    throw unreadable(`\`addresses\` and the entry of ${wrong} name different addresses`);
}

function parseTarget(value: Json | undefined): Target {
  const chain = textMember(value, 'chain');
  return {
    origin: textOf(value, 'origin'),
    client: textOf(value, 'client') as Digest,
    ...(chain === undefined ? {} : { chain }),
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

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw unreadable('it is not JSON');
  }
}

function textOf(value: Json | undefined, key: string): string {
  const text = textMember(value, key);
  if (text === undefined || text === '') throw unreadable(`\`${key}\` is missing`);
  return text;
}

function objectOf(value: Json, key: string): JsonObject {
  const found = member(value, key);
  if (!isJsonObject(found)) throw unreadable(`\`${key}\` is missing`);
  return found;
}

/** A checkout may have changed the line ends. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function unreadable(why: string): WindlassError {
  return new WindlassError('LOCK_UNREADABLE', `The lockfile cannot be used: ${why}.`);
}
