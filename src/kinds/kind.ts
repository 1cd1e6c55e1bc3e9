import type { FieldChange, RemoteSight } from '../model/change.js';
import type { KindName, ResourceId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import type { AnyResource, Resource } from '../model/resource.js';
import type { Capability } from '../protocol/endpoint.js';
import type { LockEntry } from '../state/lock.js';
import type { Outputs } from '../state/event.js';
import type { ReadAnswer, ReadRequest } from './operation.js';

/** What this environment can show and prove. */
export interface Abilities {
  readonly capabilities: ReadonlySet<Capability>;
  /** Callbacks can arrive. */
  readonly callbacks: boolean;
  /** The chain can be read over JSON-RPC. */
  readonly chain: boolean;
}

/** What is known while deciding: the plan's resources, outputs already locked, and the environment's abilities. */
export interface Knowledge {
  readonly abilities: Abilities;
  resource(id: ResourceId): AnyResource | undefined;
  outputs(id: ResourceId): Outputs | undefined;
}

/** What is known of one resource while it is being looked at. */
export interface Sighting<K extends KindName = KindName> {
  readonly resource: Resource<K>;
  readonly entry: LockEntry | undefined;
  readonly knowledge: Knowledge;
  readonly answers: readonly ReadAnswer[];
}

/** What the platform shows of a resource. `inputs` are the parts of the desired inputs that reads can show. */
export interface Observation {
  readonly sight: RemoteSight;
  readonly outputs?: Outputs;
  readonly inputs?: JsonObject;
  /** The parts of its outputs that a change made by others would show in, e.g. what was compiled. */
  readonly made?: JsonObject;
  /** What to say of a difference that its fields do not tell. */
  readonly note?: string;
  /** For versions: deployed ones are never updated. */
  readonly sealed?: boolean;
  /** For `unreadable`: what would make it readable. */
  readonly unreadable?: string;
}

/** What a difference between lock and plan means for this kind. */
export interface DifferenceRule {
  readonly action: 'update' | 'replace' | 'blocked';
  readonly reason: string;
  readonly fix?: string;
}

/**
 * What one resource kind means. Pure: reads are named here and done by the caller. One file per kind; a new
 * kind is a file, its schema and its line in the registry.
 */
export interface Kind<K extends KindName = KindName> {
  readonly name: K;
  /** The action for something that does not exist yet. */
  readonly verb: 'create' | 'deploy';
  /** Its creation cannot be undone. */
  readonly irreversible: boolean;
  /** Members of the inputs that others may change on the chain later, although what was made stays. */
  readonly changeable?: readonly string[];
  /** True when the resource names something that exists, so that nothing is ever written for it. */
  isExisting(resource: Resource<K>): boolean;
  /** Inputs that are compared and saved: public, with placeholders. */
  comparable(resource: Resource<K>): Json;
  /**
   * The next reads that show the present state, given the answers to all earlier ones; empty when there is
   * nothing more to ask. Called again until it is.
   */
  observe(sight: Sighting<K>): readonly ReadRequest[];
  /** What the answers to {@link observe} show, in the same order. */
  seen(sight: Sighting<K>): Observation;
  /** The rule for fields that differ from what is locked (or, when nothing is locked, from what is there). */
  differs(resource: Resource<K>, fields: readonly FieldChange[], observation: Observation): DifferenceRule;
  /** What could prove the write here, or the text naming what is missing. */
  provable(abilities: Abilities): true | string;
  /** What the write needs here and does not get, with what would give it; absent: nothing. */
  lacks?(
    resource: Resource<K>,
    abilities: Abilities,
  ): { readonly reason: string; readonly fix: string } | undefined;
  /** Key of the operation table for the write. */
  operation(resource: Resource<K>, update: boolean): string;
  /** Queue of the write: the signing wallet, or another thing whose order decides ids. */
  lane(resource: Resource<K>): string;
  /** True when the write must be settled before the next of its lane begins, because their effects look alike here. */
  exclusive?(resource: Resource<K>, abilities: Abilities): boolean;
}
