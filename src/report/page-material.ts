import type { Digest } from '../model/canonical.js';
import type { ResourceId } from '../model/id.js';

/** One source of a version on both sides; a side is absent when it has no such file, or it is not at hand. */
export interface SourcePair {
  readonly filename: string;
  readonly before?: string;
  readonly after?: string;
}

/** The sources of one version. */
export interface VersionSources {
  /** The version that `before` is from; absent when there is none before. */
  readonly base?: ResourceId;
  /** Why the sources before are not at hand although there are some. */
  readonly missing?: string;
  readonly files: readonly SourcePair[];
}

/** One certificate as it would be minted, with its picture when that is small enough to stand in a page. */
export interface RowSample {
  readonly id: ResourceId;
  readonly name: string;
  readonly description: string;
  readonly to: string;
  readonly attributes: readonly { readonly trait: string; readonly value: string }[];
  readonly image: { readonly path: string; readonly sizeBytes: number; readonly dataUri?: string };
}

/** Where a change set comes from: all that binds it. */
export interface PageOrigin {
  readonly engine: string;
  readonly target?: string;
  readonly lineage?: string;
  readonly serial?: number;
  /** Every file that the plan names, with its digest. */
  readonly files: Readonly<Record<string, Digest>>;
}

/** What a page shows beside the change set: all of it read before by whoever calls. */
export interface PageMaterial {
  readonly sources?: ReadonlyMap<ResourceId, VersionSources>;
  /** Some rows of each batch, by batch. */
  readonly rows?: ReadonlyMap<string, readonly RowSample[]>;
  /** Why it has neither sources nor rows. */
  readonly lack?: string;
  readonly origin?: PageOrigin;
  /** The exact command that applies it. */
  readonly next?: string;
}
