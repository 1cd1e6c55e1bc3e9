import { createHash } from 'node:crypto';
import type { Digest } from '../model/canonical.js';
import { invariant } from '../model/error.js';
import { parseCertificateId, type ResourceId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Grade } from './event.js';
import type { Lock, LockEntry } from './lock.js';
import { lockRecord, sorted } from './lock-record.js';

/** Version of the lockfile's format; a reader refuses a larger one. */
export const LOCKFILE_VERSION = 1;

/** The texts of a lockfile: the main file, and one sidecar of NDJSON lines for each batch of certificates. */
export interface LockfileTexts {
  readonly main: string;
  /** Batch name → lines, sorted by key. */
  readonly batches: ReadonlyMap<string, string>;
}

/** One file of a lockfile. */
export interface LockfilePart {
  /** The batch whose sidecar it is; undefined for the main file. */
  readonly batch: string | undefined;
  /** Its text from the beginning to the end; to be read once, and before the next file is asked for. */
  readonly pieces: Iterable<string>;
}

/** What the main file says of a batch. */
interface Summary {
  readonly rows: number;
  readonly grades: JsonObject;
  readonly digest: Digest;
}

interface Row {
  readonly key: string;
  readonly id: ResourceId;
}

/**
 * The texts of a lock: equal locks have equal texts, byte for byte. Two runs of one plan on two fresh platforms
 * differ only in `lineage`, `serial`, `target`, `receipt`, `settled`, and in `digest` and `grades` of batches.
 */
export function formatLock(lock: Lock): LockfileTexts {
  const batches = new Map<string, string>();
  let main = '';
  for (const { batch, pieces } of formatParts(lock)) {
    const text = [...pieces].join('');
    if (batch === undefined) main = text;
    else batches.set(batch, text);
  }
  return { main, batches };
}

/**
 * What {@link formatLock} gives, an entry at a time, so that the text of a large lock need never be in memory whole: the
 * sidecars by the names of their batches, then the main file. The lock must not change meanwhile.
 */
export function* formatParts(lock: Lock): Generator<LockfilePart, undefined> {
  const { inline, batches } = sortedIds(lock);
  const summaries: [string, Summary][] = [];
  for (const [batch, rows] of batches) {
    yield { batch, pieces: batchLines(lock, rows, (summary) => summaries.push([batch, summary])) };
    invariant(summaries.at(-1)?.[0] === batch, 'a sidecar is read to its end before the next file');
  }
  yield { batch: undefined, pieces: mainPieces(lock, inline, Object.fromEntries(summaries)) };
}

/** Resource id → address, of the entries that have one. */
export function* addressesOf(entries: Iterable<LockEntry>): Generator<[ResourceId, string], undefined> {
  for (const { id, outputs } of entries) if (outputs.address !== undefined) yield [id, outputs.address];
}

function sortedIds({ entries }: Lock): {
  readonly inline: readonly ResourceId[];
  readonly batches: readonly (readonly [string, readonly Row[]])[];
} {
  const inline: ResourceId[] = [];
  const batches = new Map<string, Row[]>();
  for (const id of entries.keys()) {
    const parsed = parseCertificateId(id);
    if (parsed === undefined) {
      inline.push(id);
      continue;
    }
    const rows = batches.get(parsed.batch) ?? [];
    rows.push({ key: parsed.key, id });
    batches.set(parsed.batch, rows);
  }
  for (const rows of batches.values()) rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { inline: inline.sort(), batches: [...batches].sort(([a], [b]) => (a < b ? -1 : 1)) };
}

function* batchLines(
  lock: Lock,
  rows: readonly Row[],
  tell: (summary: Summary) => void,
): Generator<string, undefined> {
  const grades: Partial<Record<Grade, number>> = {};
  const hash = createHash('sha256');
  for (const { key, id } of rows) {
    const entry = entryOf(lock, id);
    grades[entry.grade] = (grades[entry.grade] ?? 0) + 1;
    const line = `${JSON.stringify({ key, ...lockRecord(entry) })}\n`;
    hash.update(line);
    yield line;
  }
  const digest = `sha256:${hash.digest('hex')}` as const;
  tell({ rows: rows.length, grades: sorted(grades) as JsonObject, digest });
}

/** The main file: JSON as `JSON.stringify` indents it by two. */
function* mainPieces(
  lock: Lock,
  ids: readonly ResourceId[],
  summaries: Readonly<Record<string, Summary>>,
): Generator<string, undefined> {
  const { lineage, serial } = lock;
  const entries = (): Generator<LockEntry, undefined> => entriesOf(lock, ids);
  yield '{\n';
  yield* member('addresses', addressesOf(entries()));
  const head = {
    version: LOCKFILE_VERSION,
    target: sorted({ ...lock.target }),
    lineage,
    serial,
  };
  yield `,\n${JSON.stringify(head, undefined, 2).slice(2, -2)},\n`;
  yield* member('resources', recordsOf(entries()));
  yield `,\n${JSON.stringify({ batches: summaries }, undefined, 2).slice(2)}\n`;
}

/** A member of the main file that is an object, with one piece for each of its own. */
function* member(name: string, values: Iterable<readonly [ResourceId, Json]>): Generator<string, undefined> {
  let before = `  "${name}": {\n`;
  for (const [id, value] of values) {
    const text = typeof value === 'string' ? JSON.stringify(value) : nested(value);
    yield `${before}    ${JSON.stringify(id)}: ${text}`;
    before = ',\n';
  }
  yield before === ',\n' ? '\n  }' : `  "${name}": {}`;
}

/** A value as it stands in an object in an object. */
function nested(value: Json): string {
  return JSON.stringify({ _: { _: value } }, undefined, 2).slice(NESTED_FROM, NESTED_TO);
}

/** What `JSON.stringify` writes around it. */
const NESTED_FROM = '{\n  "_": {\n    "_": '.length;
const NESTED_TO = -'\n  }\n}'.length;

function* recordsOf(entries: Iterable<LockEntry>): Generator<[ResourceId, Json], undefined> {
  for (const entry of entries) yield [entry.id, lockRecord(entry)];
}

function* entriesOf(lock: Lock, ids: readonly ResourceId[]): Generator<LockEntry, undefined> {
  for (const id of ids) yield entryOf(lock, id);
}

function entryOf({ entries }: Lock, id: ResourceId): LockEntry {
  const entry = entries.get(id);
  invariant(entry !== undefined, 'a lock that is formatted does not change');
  return entry;
}
