import type { Action, Change, FieldChange, RemoteSight } from '../model/change.js';
import type { KindName, ResourceId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import { PackedEntry } from '../state/packed-entry.js';

/**
 * The change of a locked resource that stays as it is. What is locked of it is read from the journal's bytes when somebody
 * asks: of a hundred thousand such changes most are only counted. `locked` is no member of its own to spread; as JSON it is
 * what other changes are.
 */
export class IdleChange implements Change {
  readonly id: ResourceId;
  readonly kind: KindName;
  readonly action: Action;
  readonly reason: string;
  readonly irreversible: boolean;
  readonly fields: readonly FieldChange[];
  readonly drift: readonly FieldChange[];
  readonly remote: RemoteSight;
  readonly inputs: Json;
  readonly dependsOn: readonly ResourceId[];
  declare readonly unreadable?: string;
  declare readonly shown?: readonly string[];
  declare readonly types?: NonNullable<Change['types']>;
  readonly #entry: PackedEntry;

  /** @param change without what is locked */
  constructor(change: Change, entry: PackedEntry) {
    this.id = change.id;
    this.kind = change.kind;
    this.action = change.action;
    this.reason = change.reason;
    this.irreversible = change.irreversible;
    this.fields = change.fields;
    this.drift = change.drift;
    this.remote = change.remote;
    this.inputs = change.inputs;
    this.dependsOn = change.dependsOn;
    if (change.unreadable !== undefined) this.unreadable = change.unreadable;
    if (change.shown !== undefined) this.shown = change.shown;
    if (change.types !== undefined) this.types = change.types;
    this.#entry = entry;
  }

  get locked(): JsonObject {
    return this.#entry.outputs;
  }

  /** As the members of other changes are ordered. */
  toJSON(): Change {
    const { id, kind, action, reason, irreversible, fields, drift, remote, inputs, dependsOn } = this;
    const { unreadable, locked, shown, types } = this;
    return {
      id,
      kind,
      action,
      reason,
      irreversible,
      fields,
      drift,
      remote,
      inputs,
      dependsOn,
      ...(unreadable !== undefined && { unreadable }),
      ...(shown !== undefined && { shown }),
      ...(types !== undefined && { types }),
      locked,
    };
  }
}
