import type { Digest } from '../model/canonical.js';
import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Grade, Outputs, Target } from './event.js';

/** What is known of one resource: the unit of the lockfile. Its parts may be read when they are asked for. */
export interface LockEntry {
  readonly id: ResourceId;
  readonly kind: KindName;
  /** Public resolved inputs as they were when it was made. */
  readonly inputs: Json;
  /** Digest of `inputs`. */
  readonly digest: Digest;
  readonly outputs: Outputs;
  readonly grade: Grade;
  /** Step that made it; absent for adopted ones. */
  readonly step?: StepId;
  /** When it was settled, ISO 8601 UTC. */
  readonly at: string;
}

/** The result of a lineage: a pure projection of its journal. */
export interface Lock {
  readonly lineage: string;
  /** Number of journal events that changed the lock; grows with each. */
  readonly serial: number;
  readonly target: Target;
  readonly entries: ReadonlyMap<ResourceId, LockEntry>;
}

/** A copy of an entry under another id. */
export function renamedEntry(entry: LockEntry, id: ResourceId): LockEntry {
  const { inputs, digest, outputs, grade, step, at } = entry;
  return { id, kind: kindOf(id), inputs, digest, outputs, grade, at, ...(step !== undefined && { step }) };
}
