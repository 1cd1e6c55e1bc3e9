import type { Digest } from '../model/canonical.js';
import type { KindName, ResourceId, StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Grade, Outputs, Target } from './event.js';

/** What is known of one resource: the unit of the lockfile. */
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
