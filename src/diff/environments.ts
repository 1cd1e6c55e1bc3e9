import type { FieldChange } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import { isReleased } from '../kinds/registry.js';
import type { LockEntry } from '../state/lock.js';
import { changedFields } from './fields.js';

/** One environment: its plan, and what was released there. */
export interface EnvironmentSide {
  readonly plan: Plan;
  /** Empty where nothing was released yet. */
  readonly entries: ReadonlyMap<ResourceId, LockEntry>;
}

/** How two environments differ in result. `first` and `second` are in the order given. */
export interface EnvironmentDifference {
  readonly environments: readonly [string, string];
  /** Released in one of them only. */
  readonly onlyIn: { readonly first: readonly ResourceId[]; readonly second: readonly ResourceId[] };
  /** In the plan for the environment, and not released there yet. */
  readonly unreleased: { readonly first: readonly ResourceId[]; readonly second: readonly ResourceId[] };
  /** Released in both from other inputs, or with another result: `before` is the first, `after` the second. */
  readonly differing: readonly { readonly id: ResourceId; readonly fields: readonly FieldChange[] }[];
  /** Released in both alike. */
  readonly alike: readonly ResourceId[];
  /** What is expected to differ: where the same thing lives. */
  readonly addresses: readonly {
    readonly id: ResourceId;
    readonly first: string | undefined;
    readonly second: string | undefined;
  }[];
}

/** What of an entry's outputs says what it is, rather than where and when it was made. */
const TELLING_OUTPUTS = ['bytecode', 'packages'];

/**
 * Compares what was released to two environments: inputs after variables, digests of sources and files, bytecode. An
 * address counts as the thing that lives there, so that only what is really another thing differs.
 */
export function compareEnvironments(first: EnvironmentSide, second: EnvironmentSide): EnvironmentDifference {
  const ids = [...new Set([...first.entries.keys(), ...second.entries.keys()])];
  const both = ids.filter((id) => first.entries.has(id) && second.entries.has(id));
  const shown = [first, second].map((side) => ({ side, names: namesByAddress(side) }));
  const compared = both.map((id) => {
    const [before, after] = shown.map(({ side, names }) => described(side.entries.get(id), names));
    return { id, fields: changedFields(before, after) };
  });
  const [firstAddresses, secondAddresses] = [addressesById(first), addressesById(second)];
  const addressed = [...new Set([...firstAddresses.keys(), ...secondAddresses.keys()])];
  return {
    environments: [first.plan.environment.name, second.plan.environment.name],
    onlyIn: {
      first: ids.filter((id) => !second.entries.has(id)),
      second: ids.filter((id) => !first.entries.has(id)),
    },
    unreleased: { first: unreleased(first), second: unreleased(second) },
    differing: compared.filter(({ fields }) => fields.length > 0),
    alike: compared.filter(({ fields }) => fields.length === 0).map(({ id }) => id),
    addresses: addressed
      .map((id) => ({ id, first: firstAddresses.get(id), second: secondAddresses.get(id) }))
      .filter((found) => found.first !== found.second),
  };
}

/** True when nothing differs but addresses. */
export function isAlike({ onlyIn, unreleased: open, differing }: EnvironmentDifference): boolean {
  return [onlyIn.first, onlyIn.second, open.first, open.second, differing].every(
    (found) => found.length === 0,
  );
}

function unreleased({ plan, entries }: EnvironmentSide): readonly ResourceId[] {
  return plan.resources
    .filter(isReleased)
    .map(({ id }) => id)
    .filter((id) => !entries.has(id));
}

/** Where things live: as released, or as the plan names what exists. */
function addressesById({ plan, entries }: EnvironmentSide): ReadonlyMap<ResourceId, string> {
  const named = plan.resources.flatMap(({ id, inputs }) =>
    'address' in inputs && typeof inputs.address === 'string' ? [[id, inputs.address] as const] : [],
  );
  const released = [...entries.values()].flatMap(({ id, outputs }) =>
    outputs.address === undefined ? [] : [[id, outputs.address] as const],
  );
  return new Map([...named, ...released]);
}

function namesByAddress(side: EnvironmentSide): ReadonlyMap<string, ResourceId> {
  const known = [...addressesById(side)].map(([id, address]) => [address.toLowerCase(), id] as const);
  // Of two ids for one address the first counts, in both environments alike.
  return new Map(known.toReversed());
}

function described(entry: LockEntry | undefined, names: ReadonlyMap<string, ResourceId>): JsonObject {
  const outputs = Object.fromEntries(
    TELLING_OUTPUTS.flatMap((name) => {
      const value = entry?.outputs[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const inputs = withNames(entry?.inputs ?? null, names);
  return { ...(isJsonObject(inputs) ? inputs : { inputs }), ...outputs };
}

/** The value with every known address as the id of what lives there. */
function withNames(value: Json, names: ReadonlyMap<string, ResourceId>): Json {
  if (typeof value === 'string') {
    return value.replaceAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => {
      const id = names.get(address.toLowerCase());
      return id === undefined ? address : `<${id}>`;
    });
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withNames(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNames(item, names)]));
}
