import type { Digest } from './canonical.js';
import type { KindName, ResourceId, StepId } from './id.js';
import type { Json, JsonObject } from './json.js';

/** What will happen to a resource (design §1). */
export const ACTIONS = ['create', 'update', 'deploy', 'replace', 'forget', 'none', 'blocked'] as const;

/** One of {@link ACTIONS}. */
export type Action = (typeof ACTIONS)[number];

/** One input that differs; a side is absent when it has no such member. Placeholders stand for values known only later. */
export interface FieldChange {
  /** Path from the inputs, e.g. `params.cap`, `sources[Token.sol]`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** What the platform showed when asked. `unreadable`: this environment has no read for it; never the same as unchanged. */
export type RemoteSight = 'present' | 'absent' | 'unreadable' | 'not-asked';

/** The action for one resource, with its reason. */
export interface Change {
  readonly id: ResourceId;
  readonly kind: KindName;
  readonly action: Action;
  /** One sentence, without secrets. */
  readonly reason: string;
  /** What the author does about a blocked change. */
  readonly fix?: string;
  /** Cannot be undone once applied. */
  readonly irreversible: boolean;
  readonly fields: readonly FieldChange[];
  /** Differences between lock and platform that the plan did not ask for. */
  readonly drift: readonly FieldChange[];
  readonly remote: RemoteSight;
  /** For `unreadable`: what would make it readable, e.g. "capability lists". */
  readonly unreadable?: string;
  /** Public inputs that the plan wants; placeholders where an address is not known yet. */
  readonly inputs: Json;
  readonly dependsOn: readonly ResourceId[];
  /** Outputs of an existing remote thing that enters the lock without a write. */
  readonly adopt?: JsonObject;
  /** The old id whose entry this one takes over. */
  readonly movedFrom?: ResourceId;
  /** What the lock holds of it: address, transaction, token id, slug, …; absent when it is not locked. */
  readonly locked?: JsonObject;
  /** Members of the inputs that the platform showed; what is missing here cannot be read, and is not known. */
  readonly shown?: readonly string[];
  /** What a change comes from: its first cause first, the direct one last; e.g. a new version, then who takes its address. */
  readonly trail?: readonly ResourceId[];
  /** Solidity types of constructor parameters by name, where the sources tell them. */
  readonly types?: Readonly<Record<string, string>>;
  /** Only the lock holds it: the plan declares it no longer. */
  readonly undeclared?: true;
  /** The plan only names it, because it exists already: no resource of this release. */
  readonly existing?: true;
  /** For a new version: the locked one that it comes after, and what differs. */
  readonly follows?: { readonly id: ResourceId; readonly fields: readonly FieldChange[] };
}

/** One write that the change set asks for. Several contracts of a deployment may share one. */
export interface PlannedStep {
  /** Resource that names the step: a deployment for a batch, else the resource itself. */
  readonly id: ResourceId;
  readonly resources: readonly ResourceId[];
  /** Key of the operation table in `kinds/`. */
  readonly operation: string;
  /** Resources that must be settled before the request can be built; none of `resources`. */
  readonly dependsOn: readonly ResourceId[];
  /** Queue whose writes go one after the other, in this order; in practice the signing wallet. */
  readonly lane: string;
  /** Begins only when nothing of its lane is unsettled, and nothing of the lane begins until it is settled. */
  readonly exclusive?: true;
}

/** The computed difference for one plan, one environment, one moment. Holds no secret and no personal data. */
export interface ChangeSet {
  readonly plan: { readonly name: string; readonly file: string; readonly digest: Digest };
  readonly environment: string;
  /** In plan order; resources that are only in the lock come last. */
  readonly changes: readonly Change[];
  /** In plan order. Empty when a change is blocked or there is nothing to do. */
  readonly steps: readonly PlannedStep[];
  /** True when flags left something out or forced something: it may not be all that the plan asks for. */
  readonly partial: boolean;
  readonly notices: readonly string[];
  /** Steps of earlier runs whose outcome nobody knows, or that had a second effect; absent when there is none. */
  readonly unsettled?: readonly UnsettledStep[];
}

/** A step of an earlier run that a person may have to settle. */
export interface UnsettledStep {
  readonly step: StepId;
  readonly resources: readonly ResourceId[];
  /** `duplicate`: there may be two effects. */
  readonly state: 'undecided' | 'duplicate';
}

/** True for a change that neither writes nor changes the lock. */
export function isIdle({ action, adopt, movedFrom }: Change): boolean {
  return action === 'none' && adopt === undefined && !movedFrom;
}

/** True when applying would neither write nor change the lock. */
export function isEmpty(changeSet: ChangeSet): boolean {
  return changeSet.changes.every(isIdle);
}
