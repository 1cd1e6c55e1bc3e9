import type { Action, Change, ChangeSet } from '../model/change.js';
import { parseCertificateId, type KindName, type ResourceId } from '../model/id.js';
import { isJsonObject, type Json } from '../model/json.js';
import { counted } from './palette.js';
import { leavesOf, type Leaf } from './value-text.js';

/** One sign per action; the legend explains those in use. */
export const SYMBOLS: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  deploy: '^',
  replace: '±',
  forget: '-',
  none: '=',
  blocked: '!',
};

/** One line of a report: one change, or the certificates of one batch with the same action. Never empty. */
export interface ChangeLine {
  readonly action: Action;
  /** Resource id, or `certificate.BATCH` for several rows. */
  readonly label: string;
  readonly first: Change;
  readonly changes: readonly Change[];
}

/** Row keys that a batch line names. */
const SAMPLE_KEYS = 3;

/** True for changes that a report lists: everything but unchanged resources that stay as they are locked. */
export function isListed(change: Change): boolean {
  return change.action !== 'none' || change.adopt !== undefined || change.movedFrom !== undefined;
}

/** What happens to each node of a graph that something happens to; to a batch with a blocked row: `blocked`. */
export function actionsOf(changes: readonly Change[]): ReadonlyMap<string, Action> {
  const actions = new Map<string, Action>();
  for (const { first, action } of changeLines(changes)) {
    const batch = parseCertificateId(first.id)?.batch;
    const key = batch === undefined ? first.id : `certificate.${batch}`;
    if (actions.get(key) !== 'blocked' && action !== 'none') actions.set(key, action);
  }
  return actions;
}

/** Lines in plan order; rows of a batch with the same action share the line of their first. */
export function changeLines(changes: readonly Change[]): readonly ChangeLine[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const batch = parseCertificateId(change.id)?.batch;
    const key = batch === undefined ? change.id : `${change.action} certificate.${batch}`;
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }
  return [...groups.values()].flatMap((group) => lineOf(group));
}

/** One line per change, batches taken apart. */
export function separateLines(changes: readonly Change[]): readonly ChangeLine[] {
  return changes.flatMap((change) => lineOf([change]));
}

/** Why: the reason, or the reasons of a batch line with their counts. */
export function reasonOf(line: ChangeLine): string {
  if (line.changes.length === 1) return describe(line.first);
  const counts = new Map<string, number>();
  for (const change of line.changes) {
    const reason = describe(change);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => (counts.size === 1 ? reason : `${count}: ${reason}`));
  const shown = reasons.slice(0, 3);
  return [
    `${counted(line.changes.length, 'certificate')} (${sampleOf(line)})`,
    ...shown,
    ...(reasons.length > shown.length ? [`and ${reasons.length - shown.length} more reasons`] : []),
  ].join('; ');
}

/** How many of the changes that will be made cannot be undone. */
export function countIrreversible(changes: readonly Change[]): number {
  return changes.filter(isIrreversible).length;
}

/** True when applying makes something that cannot be taken back. */
export function isIrreversible(change: Change): boolean {
  return change.irreversible && !['none', 'blocked', 'forget'].includes(change.action);
}

/** Things that reads cannot show, by what would show them. */
export function unreadableByCause(changeSet: ChangeSet): ReadonlyMap<string, readonly ChangeLine[]> {
  const causes = new Map<string, Change[]>();
  for (const change of changeSet.changes) {
    if (change.remote !== 'unreadable' && change.unreadable === undefined) continue;
    const cause = change.unreadable ?? 'a read that this environment does not have';
    const group = causes.get(cause);
    if (group) group.push(change);
    else causes.set(cause, [change]);
  }
  return new Map([...causes].map(([cause, changes]) => [cause, changeLines(changes)]));
}

/** Inputs that tell a reviewer what is being made; the rest is shown on demand. */
const TELLING: Readonly<Record<KindName, readonly string[]>> = {
  wallet: ['address'],
  project: [],
  version: ['compiler.solidity', 'packages'],
  deployment: [],
  contract: ['address', 'params'],
  'audit-contract': ['address'],
  category: ['id'],
  tag: ['id'],
  'audit-record': ['metadata'],
  'certificate-contract': ['address', 'symbol', 'maxSupply'],
  certificate: [],
  transfer: ['token', 'to'],
};

/** Leaves of the inputs of something new: all of them, or those that tell what it is. */
export function factsOf(change: Change, everything: boolean): readonly Leaf[] {
  const leaves = leavesOf(change.inputs);
  if (everything) return [...leaves, ...withheld(change)];
  return leaves.filter(
    ({ path, value }) => !isHollow(value) && TELLING[change.kind].some((prefix) => isUnder(path, prefix)),
  );
}

/** Personal data that a created wallet is sent with, by name: they are in no change set. */
function withheld({ kind, inputs }: Change): readonly Leaf[] {
  if (kind !== 'wallet' || !isJsonObject(inputs) || 'address' in inputs) return [];
  return ['email', 'ic']
    .filter((path) => !(path in inputs))
    .map((path) => ({ path, value: { $personal: '' } }));
}

function isHollow(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`);
}

function lineOf(changes: readonly Change[]): readonly ChangeLine[] {
  const first = changes[0];
  if (!first) return [];
  const batch = parseCertificateId(first.id)?.batch;
  const label = changes.length > 1 && batch !== undefined ? `certificate.${batch}` : first.id;
  return [{ action: first.action, label, first, changes }];
}

function describe(change: Change): string {
  const parts = [change.reason];
  if (change.movedFrom !== undefined) parts.push(`moved from ${change.movedFrom}`);
  if (change.adopt !== undefined && change.action === 'none')
    parts.push('taken into the lock without a write');
  return parts.join('; ');
}

function sampleOf(line: ChangeLine): string {
  const keys = line.changes.slice(0, SAMPLE_KEYS).map((change) => keyOf(change.id));
  const last = line.changes.length > SAMPLE_KEYS ? line.changes.at(-1) : undefined;
  if (last === undefined) return keys.join(', ');
  return `${keys.join(', ')}${line.changes.length > SAMPLE_KEYS + 1 ? ', …' : ''}, ${keyOf(last.id)}`;
}

function keyOf(id: ResourceId): string {
  return parseCertificateId(id)?.key ?? id;
}
