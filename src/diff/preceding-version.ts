import type { Change } from '../model/change.js';
import { nameOf } from '../model/id.js';
import { textMember, type Json } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { Resource } from '../model/resource.js';
import type { LockEntry } from '../state/lock.js';
import type { LineageState } from '../state/project.js';
import { changedFields } from './fields.js';

/**
 * The locked version that a new one comes after, and what differs: the one that contracts of the plan were deployed
 * from and are now to come from the new one; else the newest of its project. Undefined for the first of a project.
 */
export function precedingVersion(
  version: Resource<'version'>,
  inputs: Json,
  { plan, state }: { readonly plan: Plan; readonly state: LineageState },
): Change['follows'] {
  const entries = state.lock?.entries ?? new Map<never, LockEntry>();
  const locked = [...entries.values()].filter(
    ({ kind, id }) => kind === 'version' && projectOf(id) === projectOf(version.id),
  );
  const left = plan.resources.flatMap((resource) =>
    resource.kind === 'contract' && 'version' in resource.inputs && resource.inputs.version === version.id
      ? (textMember(entries.get(resource.id)?.inputs, 'version') ?? [])
      : [],
  );
  const newest = locked.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
  const before = locked.find(({ id }) => id === left[0]) ?? newest;
  if (before === undefined) return undefined;
  const fields = changedFields(before.inputs, inputs).filter(({ path }) => path !== 'name');
  return { id: before.id, fields };
}

function projectOf(id: LockEntry['id']): string {
  return nameOf(id).replace(/@[^@]*$/, '');
}
