import type { Change, FieldChange } from '../model/change.js';
import { textMember, type Json } from '../model/json.js';
import { referencesOf } from '../model/value.js';
import { typedText, valueText, VALUE_LIMIT } from './value-text.js';

/** What lock, platform and plan say of one resource, a sentence each. */
export interface Standing {
  readonly lock: string;
  readonly platform: string;
  readonly plan: string;
}

/** The same for one input. */
export interface FieldStanding extends Standing {
  /** As people know it, e.g. `cap_ (uint256)`. */
  readonly label: string;
}

/** What each of the three says of a resource as a whole. */
export function standingOf(change: Change): Standing {
  return { lock: lockText(change), platform: platformText(change), plan: planText(change) };
}

/** What each of the three says of every input in which they differ. */
export function fieldStandings(change: Change, limit = VALUE_LIMIT): readonly FieldStanding[] {
  const fields = new Map(change.fields.map((field) => [field.path, field]));
  const drift = new Map(change.drift.map((field) => [field.path, field]));
  return [...new Set([...fields.keys(), ...drift.keys()])].map((path) => {
    const [field, drifted] = [fields.get(path), drift.get(path)];
    const locked = sideText(change, path, (field ?? drifted)?.before, limit);
    const isLocked = change.locked !== undefined;
    return {
      label: labelOf(change, path),
      lock: isLocked ? locked : 'not locked',
      platform: isLocked ? shownText(change, { path, drifted, locked }, limit) : locked,
      plan: field === undefined ? locked : sideText(change, path, field.after, limit),
    };
  });
}

/** The name of an input as people know it: constructor parameters by name and type. */
export function labelOf({ types }: Pick<Change, 'types'>, path: string): string {
  const [name, rest] = parameterOf(path);
  const type = typeAt(types, path);
  return name === undefined || type === undefined ? path : `${name}${rest} (${type})`;
}

/** `cap_ (uint256): 12000 → 2000`: one changed input. */
export function fieldLine(change: Change, field: FieldChange, limit = VALUE_LIMIT): string {
  const label = labelOf(change, field.path);
  const after = sideText(change, field.path, field.after, limit);
  if (field.before === undefined) return `${label}: ${after}`;
  return `${label}: ${sideText(change, field.path, field.before, limit)} → ${after}`;
}

/** `cap_ (uint256): 12000`: one input of something new. */
export function factLine(change: Change, path: string, value: Json, limit = VALUE_LIMIT): string {
  const text = sideText(change, path, value, limit);
  return path === '' ? text : `${labelOf(change, path)}: ${text}`;
}

/** `0xe7f1… → 0x5Fb…`: where a change comes from, first cause first; undefined when it is its own cause. */
export function trailText({ trail }: Change): string | undefined {
  return trail === undefined || trail.length === 0 ? undefined : trail.join(' → ');
}

/** What the lock holds of it, in a few words: address, token id, id or slug. */
export function identityOf({ locked }: Change): string | undefined {
  const address = textMember(locked, 'address');
  if (address !== undefined) return address;
  const token = textMember(locked, 'tokenId');
  if (token !== undefined) return `token ${token}`;
  for (const name of ['slug', 'id', 'transaction']) {
    const value = locked?.[name];
    if (typeof value === 'string' || typeof value === 'number') return `${name} ${value}`;
  }
  return undefined;
}

function sideText(change: Change, path: string, value: Json | undefined, limit: number): string {
  if (value === undefined) return isImplied(change, path) ? 'true' : '(absent)';
  const type = typeAt(change.types, path);
  return type === undefined ? valueText(value, limit) : typedText(value, type, limit);
}

/** Only the platform says that a version was not compiled; a plan, and a lock, mean that it is. */
function isImplied({ kind }: Change, path: string): boolean {
  return kind === 'version' && path === 'compiled';
}

/** The Solidity type of what stands at a path: of an item, its array's without the brackets that the path opens. */
function typeAt(types: Change['types'], path: string): string | undefined {
  const [name, rest] = parameterOf(path);
  const type = name === undefined ? undefined : types?.[name];
  const items = /^(?:\[\d+\])*/.exec(rest)?.[0].match(/\[/g)?.length ?? 0;
  return Array.from({ length: items }).reduce<string | undefined>(
    (inner) => inner?.replace(/\[\d*\]$/, ''),
    type,
  );
}

function parameterOf(path: string): readonly [name: string | undefined, rest: string] {
  const match = /^params\.([A-Za-z_$][\w$]*)(.*)$/.exec(path);
  return [match?.[1], match?.[2] ?? ''];
}

function lockText(change: Change): string {
  if (change.locked === undefined) return 'not locked';
  const was = change.movedFrom === undefined ? '' : `as ${change.movedFrom}, `;
  return `${was}${identityOf(change) ?? 'locked'}`;
}

function platformText({ remote, unreadable, drift, shown = [] }: Change): string {
  switch (remote) {
    case 'absent':
      return 'does not show it';
    case 'unreadable':
      return `cannot be read here: needs ${unreadable ?? 'a read that this environment does not have'}`;
    case 'not-asked':
      return 'was not asked';
    case 'present': {
      if (drift.length > 0) return `shows it, with other ${drift.map(({ path }) => path).join(', ')}`;
      return shown.length === 0 ? 'shows it' : `shows it; ${shown.join(', ')} can be read`;
    }
  }
}

function planText(change: Change): string {
  const words: Readonly<Record<Change['action'], string>> = {
    create: 'wants it created',
    update: 'wants it changed in place',
    deploy: 'wants it deployed',
    replace: 'wants a new one',
    forget: 'no longer declares it',
    none: change.undeclared ? 'no longer declares it' : 'wants it as it is',
    blocked: 'wants what cannot be done',
  };
  const later = referencesOf(change.inputs).length;
  const waits =
    later === 0 || change.action === 'none'
      ? ''
      : `; waits for ${later === 1 ? 'an address' : `${later} addresses`}`;
  return `${words[change.action]}${waits}`;
}

function shownText(
  change: Change,
  field: { readonly path: string; readonly drifted: FieldChange | undefined; readonly locked: string },
  limit: number,
): string {
  if (field.drifted !== undefined) return sideText(change, field.path, field.drifted.after, limit);
  if (change.remote !== 'present') return platformText(change);
  const [head] = /^[^.[]*/.exec(field.path) ?? [''];
  return change.shown?.includes(head) === true ? field.locked : 'has no read for it';
}
