import type { Action, Change, FieldChange, RemoteSight } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { AnyResource } from '../model/resource.js';
import { fillPlaceholders, publicView, referencesOf } from '../model/value.js';
import type { Abilities, Kind, Observation } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import type { Attempt } from '../state/attempt.js';
import type { LockEntry } from '../state/lock.js';
import { hasInputs, PackedEntry } from '../state/packed-entry.js';
import { uncomparedIn } from '../state/uncompared.js';
import { changedFields, driftedFields, driftOf } from './fields.js';
import { IdleChange } from './idle-change.js';
import { isOutdated } from './outdated.js';

/** All that decides one resource's action. */
export interface Situation {
  readonly resource: AnyResource;
  readonly entry: LockEntry | undefined;
  readonly observation: Observation;
  readonly abilities: Abilities;
  /** An attempt for it whose outcome is not known yet. */
  readonly open: Attempt | undefined;
  /** The old id, when the plan moves the resource and an attempt under that id is open. */
  readonly openAs?: ResourceId | undefined;
  /** The lockfile beside the plan holds it, but the journal does not know it. */
  readonly stranger?: boolean;
  /** `--replace` names it. */
  readonly replace: boolean;
  /** Address of a dependency that stays as it is; undefined when this change set makes it. */
  readonly stableAddress: (id: ResourceId) => string | undefined;
  /** What a dependency that this change set makes comes from itself; empty when it is a first cause. */
  readonly trailOf?: (id: ResourceId) => readonly ResourceId[];
}

interface Ruling {
  readonly action: Action;
  readonly reason: string;
  readonly fix?: string;
  readonly fields?: readonly FieldChange[];
  readonly drift?: readonly FieldChange[];
  readonly adopt?: Change['adopt'];
  readonly trail?: readonly ResourceId[];
}

/**
 * The action for one resource:
 *
 * | lock | plan = lock | platform shows | action |
 * |---|---|---|---|
 * | – (named by address or id) | | | none |
 * | open attempt | | | create, deploy or update, replace where something is locked: apply continues it |
 * | open attempt under the id that it is moved from | | | blocked until that is settled |
 * | in the lockfile only, not in the journal | | | blocked: it exists, and would be made twice |
 * | – | | nothing, or it has no read | create or deploy; blocked when its outcome could not be proven here |
 * | – | | the same thing | none, adopted into the lock |
 * | – | | another thing of that name | the kind's rule: update or blocked |
 * | entry | yes | it, or it has no read | none; differences that nobody planned are drift |
 * | entry | yes | nothing | blocked |
 * | entry | no | | the kind's rule: update, replace or blocked |
 * | entry, `--replace` | | | replace |
 */
export function decide(situation: Situation): Change {
  const { resource, observation } = situation;
  const kind = kindNamed(resource.kind);
  const inputs = publicView(fillPlaceholders(kind.comparable(resource), situation.stableAddress));
  const ruling = withheld(situation, kind, rule(situation, kind, inputs));
  const { action, reason, fix, fields = NONE, drift = NONE, adopt, trail } = ruling;
  // Member by member: a large plan has very many changes, and most have none of the rest.
  const change: Draft = {
    id: resource.id,
    kind: resource.kind,
    action,
    reason,
    irreversible: kind.irreversible && MAKING.has(action),
    fields,
    drift,
    remote: observation.sight,
    inputs,
    dependsOn: resource.dependsOn,
  };
  if (fix !== undefined) change.fix = fix;
  if (adopt !== undefined) change.adopt = adopt;
  if (trail !== undefined && trail.length > 0) change.trail = trail;
  if (action === 'none' && kind.isExisting(resource)) change.existing = true;
  addStanding(change, situation);
  return withLocked(change, situation.entry);
}

/** A ruling whose write could not be sent from here is blocked: it would fail when others were made already. */
function withheld({ resource, abilities, open }: Situation, kind: Kind, ruling: Ruling): Ruling {
  if (open !== undefined || !MAKING.has(ruling.action)) return ruling;
  const lacking = kind.lacks?.(resource, abilities);
  return lacking === undefined ? ruling : { ...ruling, action: 'blocked', ...lacking };
}

type Draft = { -readonly [Member in keyof Change]: Change[Member] };

/** What lock and platform say of it, beside the plan. */
function addStanding(change: Draft, { resource, observation, entry }: Situation): void {
  const { unreadable, inputs: shown } = observation;
  const types = 'types' in resource.inputs ? resource.inputs.types : undefined;
  if (unreadable !== undefined) change.unreadable = unreadable;
  // Whatever Windlass made is packed, and was never adopted.
  const uncompared = entry === undefined || entry instanceof PackedEntry ? [] : uncomparedIn(entry.outputs);
  if (uncompared.length > 0 && change.action === 'none')
    change.unreadable = `${uncompared.join(', ')}: adopted, and never compared`;
  if (shown !== undefined) change.shown = Object.keys(shown).sort();
  if (types !== undefined) change.types = types;
}

function withLocked(change: Draft, entry: LockEntry | undefined): Change {
  if (entry === undefined) return change;
  if (change.action === 'none' && !change.existing && entry instanceof PackedEntry)
    return new IdleChange(change, entry);
  change.locked = entry.outputs;
  return change;
}

const MAKING: ReadonlySet<Action> = new Set(['create', 'deploy', 'replace']);

const NONE: readonly FieldChange[] = [];

function rule(situation: Situation, kind: Kind, inputs: Json): Ruling {
  const { resource, entry, open, openAs } = situation;
  if (openAs !== undefined) {
    return {
      action: 'blocked',
      reason: `the outcome of ${openAs} is not known yet, so it cannot get a new id`,
      fix: 'apply the plan under the old id first, then move it',
    };
  }
  if (kind.isExisting(resource)) return { action: 'none', reason: 'exists already and is named in the plan' };
  if (open !== undefined) {
    const isUpdate =
      kind.operation(resource, true) === open.operation && kind.operation(resource, false) !== open.operation;
    // What was agreed to stays what it was: a saved change set goes on with it.
    const made = entry === undefined ? kind.verb : 'replace';
    const action = isUpdate ? 'update' : made;
    const edited = isOutdated(open, resource.id, inputs)
      ? ', and it was sent with other inputs than the plan has now'
      : '';
    return {
      action,
      reason: `the outcome of ${open.step} is not known yet${edited}; apply looks for it before anything is sent`,
    };
  }
  return entry === undefined ? ruleNew(situation, kind, inputs) : ruleLocked(situation, kind, inputs, entry);
}

function ruleNew(situation: Situation, kind: Kind, inputs: Json): Ruling {
  const { resource, observation, abilities, stranger = false } = situation;
  if (stranger) {
    return {
      action: 'blocked',
      reason:
        'the lockfile holds it, but the journal here does not know it: it exists and would be made a second time',
      fix: 'move the folder of the journal (under .windlass/env) away, so that a new one begins from the lockfile',
    };
  }
  if (observation.sight === 'present' && observation.inputs !== undefined) {
    const fields = driftedFields(inputs, observation.inputs).map(({ path, before, after }) =>
      swap(path, after, before),
    );
    if (fields.length > 0) return { ...kind.differs(resource, fields, observation), fields };
    return {
      action: 'none',
      reason: 'exists already as planned',
      adopt: observation.outputs ?? {},
    };
  }
  const provable = kind.provable(abilities);
  if (provable !== true) {
    return {
      action: 'blocked',
      reason: 'nothing in this environment could prove that it was made',
      fix: `give the environment ${provable}`,
    };
  }
  return {
    action: kind.verb,
    reason: observation.sight === 'absent' ? 'does not exist yet' : 'is not in the lockfile',
  };
}

function ruleLocked(situation: Situation, kind: Kind, inputs: Json, entry: LockEntry): Ruling {
  const { resource, observation, replace } = situation;
  const drift = driftOf(entry, observation);
  const fields = hasInputs(entry, inputs) ? NONE : changedFields(entry.inputs, inputs);
  if (replace) return { action: 'replace', reason: 'replacement was asked for', fields, drift };
  if (fields.length > 0) {
    const ruling = kind.differs(resource, fields, observation);
    return { ...ruling, trail: trailTo(situation, fields, inputs), fields, drift };
  }
  if (observation.sight === 'absent') {
    const fix = `check that this is the right platform; \`--replace ${resource.id}\` makes it again`;
    return {
      action: 'blocked',
      reason: 'the lockfile has it, but the platform does not show it',
      fix,
      drift,
    };
  }
  return { action: 'none', reason: unchanged(observation.sight), drift };
}

function unchanged(sight: RemoteSight): string {
  return sight === 'present' ? 'as planned' : 'as locked; the platform cannot show it here';
}

/** What a difference comes from: the version that is another one, else the first address that is made anew. */
function trailTo(
  { resource, trailOf = () => [] }: Situation,
  fields: readonly FieldChange[],
  inputs: Json,
): readonly ResourceId[] {
  const version = fields.some(({ path }) => path === 'version') && 'version' in resource.inputs;
  if (version) return [resource.inputs.version];
  const [made] = referencesOf(inputs);
  return made === undefined ? [] : [...trailOf(made), made];
}

function swap(path: string, before: Json | undefined, after: Json | undefined): FieldChange {
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
