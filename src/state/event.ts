import type { Digest } from '../model/canonical.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';

/** Version of the journal's events; a reader refuses a larger one. */
export const EVENT_VERSION = 1;

/**
 * How well a value is known: A chain, or two independent sources; B read of the platform; C callback only;
 * D response only; O operator (design §1).
 */
export type Grade = 'A' | 'B' | 'C' | 'D' | 'O';

/** What is kept of one resource once it exists: all that the lockfile and later steps need. Public data only. */
export type Outputs = JsonObject & { readonly address?: string; readonly transaction?: string };

/**
 * Which service and organisation a journal and lockfile belong to (design §4). An API key is no organisation: another one is
 * accepted once it is proven to belong to the same.
 */
export interface Target {
  /** Origin of the base URL; `local` for the embedded platform, never its port. */
  readonly origin: string;
  /** Digest of the client id, or of the embedded platform's id. Of a lineage: the one that it began with. */
  readonly client: Digest;
  /** The organisation, where the service names it: the id of its data, and the organisation's within that. */
  readonly organisation?: string;
  /** Of a lineage: digests of other client ids that were accepted, the newest last. */
  readonly keys?: readonly Digest[];
  /** Chain id and genesis hash where known. */
  readonly chain?: string;
}

/** How the answer to a write is classed: what it proves about the effect (reliability §3.3). */
export type Outcome = 'not_sent' | 'rejected' | 'accepted' | 'ambiguous';

/** Where evidence came from. */
export type EvidenceSource = 'response' | 'callback' | 'read' | 'chain' | 'operator';

/** Settled state of a step. */
export type Settled = 'confirmed' | 'failed' | 'undecided';

interface Stamp {
  /** ISO 8601 UTC with milliseconds, from the engine's clock. */
  readonly at: string;
}

/** First event of a lineage: a journal is for one target. `imported`: the lineage goes on from a lockfile. */
export interface LineageStarted extends Stamp {
  readonly type: 'lineage-started';
  readonly version: number;
  readonly lineage: string;
  readonly target: Target;
  readonly imported?: Digest;
  /** Serial of the lockfile that it goes on from; absent: 0. */
  readonly serial?: number;
}

/** An apply began. `changeSet` is the digest of what it was asked to do. */
export interface RunStarted extends Stamp {
  readonly type: 'run-started';
  readonly run: string;
  readonly plan: Digest;
  readonly changeSet: Digest;
  readonly engine: string;
  /** What is sent in this run cannot take effect any more, nor its answer be taken for another's, once a time has passed. */
  readonly bounded?: true;
}

/** Durable before the first byte of a write: the intent, with what reads showed before (the pre-image). */
export interface StepIntended extends Stamp {
  readonly type: 'step-intended';
  readonly step: StepId;
  /** Resources that the write makes: one, or the contracts of a deployment. */
  readonly resources: readonly ResourceId[];
  readonly operation: string;
  /** Wallet address or other queue in which writes go one after the other. */
  readonly lane: string;
  readonly token: Digest;
  readonly request: Digest;
  readonly before: Json;
  /** Public, resolved inputs of each resource, for later comparison. */
  readonly inputs: Readonly<Record<ResourceId, Json>>;
}

/** The answer to a write, classed. `ids` are the service's names for what it accepted. */
export interface StepAnswered extends Stamp {
  readonly type: 'step-answered';
  readonly step: StepId;
  readonly outcome: Outcome;
  readonly status?: number;
  /** The service's names for what was made. Empty beside `ambiguous`: the answer names what another step was told. */
  readonly ids?: JsonObject;
  readonly message?: string;
}

/** Something that bears on an attempt: kept as it came in, never edited. */
export interface StepEvidenced extends Stamp {
  readonly type: 'step-evidenced';
  readonly step: StepId;
  readonly via: EvidenceSource;
  readonly claim: 'success' | 'failed' | 'unparsed';
  readonly facts: JsonObject;
}

/** A proven outcome (or that proof cannot be had). Outputs of a failed batch name what did deploy. */
export interface StepSettled extends Stamp {
  readonly type: 'step-settled';
  readonly step: StepId;
  readonly state: Settled;
  readonly grade: Grade;
  readonly outputs: Readonly<Record<ResourceId, Outputs>>;
  readonly message?: string;
  /** For `undecided`: what was looked at last, and what that showed. */
  readonly looked?: readonly Looked[];
}

/** One read of the last look at an attempt, in words. */
export type Looked = {
  /** What was asked, e.g. `certificate.list`. */
  readonly read: string;
  /** What it showed, e.g. `3 entries, none of them this one`. */
  readonly showed: string;
};

/** A late effect of an attempt that was not the settled one. */
export interface StepDuplicated extends Stamp {
  readonly type: 'step-duplicated';
  readonly step: StepId;
  readonly facts: JsonObject;
}

/**
 * A person settled a step. `adopt`: it took effect, as `outputs` say; `absent`: it had no effect, so that it may be
 * sent anew; `keep`: it took effect beside another attempt, and the lock stays as it is.
 */
export interface StepResolved extends Stamp {
  readonly type: 'step-resolved';
  readonly step: StepId;
  readonly decision: 'adopt' | 'absent' | 'keep';
  readonly outputs?: Readonly<Record<ResourceId, Outputs>>;
  /** How well reads bear out what the person says; O when absent. */
  readonly grade?: Grade;
  /** For `absent`: what was looked at, and what that showed. */
  readonly looked?: readonly Looked[];
  readonly statement: string;
  readonly by: string;
}

/**
 * An existing remote thing entered the lock. `imported` marks an entry that was taken over from a lockfile when
 * the lineage started: `at` and `step` are then those of the entry, and the serial does not grow.
 */
export interface ResourceAdopted extends Stamp {
  readonly type: 'resource-adopted';
  readonly id: ResourceId;
  readonly outputs: Outputs;
  readonly inputs: Json;
  readonly grade: Grade;
  readonly imported?: true;
  readonly step?: StepId;
  /** What the person who adopted it looked at. */
  readonly statement?: string;
}

/** A resource left the lock; nothing remote was touched. */
export interface ResourceForgotten extends Stamp {
  readonly type: 'resource-forgotten';
  readonly id: ResourceId;
}

/** A locked resource got a new id. */
export interface ResourceMoved extends Stamp {
  readonly type: 'resource-moved';
  readonly from: ResourceId;
  readonly to: ResourceId;
}

/** Another API key was proven to be one of the same organisation, or its organisation was named for the first time. */
export interface KeyAccepted extends Stamp {
  readonly type: 'key-accepted';
  /** Digest of its client id. */
  readonly client: Digest;
  readonly organisation?: string;
  /** Who says so: the service, which names the organisation; reads with the key; or a person. */
  readonly by: 'organisation' | 'reads' | 'operator';
  /** What was read, in words. */
  readonly looked?: readonly Looked[];
}

/** An apply ended; absent after a crash. */
export interface RunEnded extends Stamp {
  readonly type: 'run-ended';
  readonly run: string;
  readonly result: 'done' | 'incomplete' | 'undecided' | 'interrupted';
}

/** One line of the journal. */
export type JournalEvent =
  | LineageStarted
  | RunStarted
  | StepIntended
  | StepAnswered
  | StepEvidenced
  | StepSettled
  | StepDuplicated
  | StepResolved
  | ResourceAdopted
  | ResourceForgotten
  | ResourceMoved
  | KeyAccepted
  | RunEnded;
