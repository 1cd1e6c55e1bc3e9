import type { Digest } from './canonical.js';
import type { Environment } from './environment.js';
import type { ResourceId } from './id.js';
import type { AnyResource } from './resource.js';

/** A loaded plan for one environment: checked, templates filled, names resolved, in order. */
export interface Plan {
  readonly name: string;
  /** The plan's file name, for messages and for the names of the files beside it. */
  readonly file: string;
  /** Digest of the plan's text. Files that it names have their own digests in the inputs. */
  readonly digest: Digest;
  /** Every file that it was made from, its own text apart: path relative to the plan's folder → digest of the bytes read. */
  readonly files: Readonly<Record<string, Digest>>;
  readonly environment: Environment;
  /** Every environment that it declares. */
  readonly environments: readonly Environment[];
  /** Dependencies first; ties keep file order. Rows of a batch keep row order. */
  readonly resources: readonly AnyResource[];
  /** Renamed resources: old id → new id. */
  readonly moved: Readonly<Record<string, ResourceId>>;
  /** What the author should know though nothing is wrong, e.g. sources renamed for the flat upload. */
  readonly notices: readonly string[];
}
