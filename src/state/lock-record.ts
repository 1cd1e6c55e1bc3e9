import { digestOf, sortedKeys, type Digest } from '../model/canonical.js';
import { kindOf, parseStepId, type ResourceId, type StepId } from '../model/id.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Grade } from './event.js';
import type { LockEntry } from './lock.js';

/** How the lockfile writes an entry: what is the same in every run first, what differs between runs after it. */
export type LockRecord = {
  readonly outputs: JsonObject;
  readonly inputs: Json;
  readonly digest: Digest;
  /** Outputs that differ between two runs of one plan ({@link isVolatileOutput}); absent when there are none. */
  readonly receipt?: JsonObject;
  readonly settled: { readonly grade: Grade; readonly at: string; readonly step?: StepId };
};

const VOLATILE_WORDS = new Set([
  'at',
  'block',
  'gas',
  'hash',
  'nonce',
  'time',
  'timestamp',
  'transaction',
  'tx',
]);

const GRADES: readonly string[] = ['A', 'B', 'C', 'D', 'O'];

/**
 * True for outputs that differ between two runs of one plan, told by their name: one of its words is
 * `transaction`, `tx`, `hash`, `block`, `nonce`, `gas`, `timestamp`, `time` or `at` (`blockNumber`, `created_at`).
 */
function isVolatileOutput(name: string): boolean {
  return FEW_NAMES.get(name) ?? tellVolatile(name);
}

/** The outputs that nearly all entries have. */
const FEW_NAMES: ReadonlyMap<string, boolean> = new Map(
  ['address', 'transaction', 'id', 'tokenId', 'name', 'slug'].map((name) => [name, tellVolatile(name)]),
);

function tellVolatile(name: string): boolean {
  return name.split(/_|(?=[A-Z])/).some((word) => VOLATILE_WORDS.has(word.toLowerCase()));
}

/** An object without a prototype, so that any name is a name. */
function newRecord(): { [name: string]: Json } {
  return Object.create(null) as { [name: string]: Json };
}

/** An entry as the lockfile writes it; members of objects sorted, so that equal entries have equal texts. */
export function lockRecord(entry: LockEntry): LockRecord {
  const { inputs, digest, grade, at, step } = entry;
  const [outputs, receipt] = [newRecord(), newRecord()];
  for (const name of sortedKeys(entry.outputs)) {
    const output = entry.outputs[name];
    if (output !== undefined) (isVolatileOutput(name) ? receipt : outputs)[name] = sorted(output);
  }
  return {
    outputs,
    inputs: sorted(inputs),
    digest,
    ...(Object.keys(receipt).length > 0 && { receipt }),
    settled: { grade, at, ...(step !== undefined && { step }) },
  };
}

/** The entry that a record holds, or what is wrong with the record. */
export function lockEntry(id: ResourceId, record: Json): LockEntry | string {
  const inputs = member(record, 'inputs');
  const outputs = member(record, 'outputs');
  const receipt = member(record, 'receipt') ?? {};
  if (inputs === undefined || !isJsonObject(outputs) || !isJsonObject(receipt)) {
    return 'lacks inputs or outputs';
  }
  const digest = digestOf(inputs);
  if (digest !== textMember(record, 'digest')) return 'has inputs that are not those of its digest';
  const how = settlement(member(record, 'settled'));
  if (how === undefined) return 'has a malformed `settled`';
  const all = { ...outputs, ...receipt };
  const texts = [all['address'], all['transaction']].every((value) =>
    ['string', 'undefined'].includes(typeof value),
  );
  if (!texts) return 'has an address or transaction that is not text';
  return { id, kind: kindOf(id), inputs, digest, outputs: all, ...how };
}

function settlement(value: Json | undefined): Pick<LockEntry, 'grade' | 'at' | 'step'> | undefined {
  const grade = textMember(value, 'grade');
  const at = textMember(value, 'at');
  const step = member(value, 'step');
  if (grade === undefined || !GRADES.includes(grade) || at === undefined) return undefined;
  if (step === undefined) return { grade: grade as Grade, at };
  if (typeof step !== 'string' || parseStepId(step) === undefined) return undefined;
  return { grade: grade as Grade, at, step: step as StepId };
}

/** The value with the members of every object in order of code units; itself where they are. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  const isFlat = keys.every((key, index) => {
    const before = keys[index - 1];
    const item = value[key];
    return (before === undefined || before < key) && item !== undefined && typeof item !== 'object';
  });
  if (isFlat) return value;
  const made = newRecord();
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (item !== undefined) made[key] = sorted(item);
  }
  return made;
}
