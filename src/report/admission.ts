import type { Selection } from '../diff/selection.js';
import { canonicalJson, type Digest } from '../model/canonical.js';
import { isEmpty, type Change, type ChangeSet } from '../model/change.js';
import { WindlassError } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { fillPlaceholders } from '../model/value.js';
import type { Target } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import type { RunRecord } from '../state/run-book.js';
import { savedDigest, type SavedChangeSet } from './saved-change-set.js';

/** Digests of the plan's text and of the files that it names, as they are now; undefined: not there, or not readable. */
export interface FilesNow {
  readonly plan: Digest | undefined;
  readonly files: Readonly<Record<string, Digest | undefined>>;
}

/**
 * Refuses a saved change set when a file that it was made from is another one now.
 *
 * @throws CHANGESET_STALE naming the files
 */
export function checkFiles(saved: SavedChangeSet, now: FilesNow): void {
  const { file, digest } = saved.changeSet.plan;
  const before: FilesNow['files'] = { [file]: digest, ...saved.files };
  const after: FilesNow['files'] = { [file]: now.plan, ...now.files };
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = paths.filter((path) => before[path] !== after[path]);
  if (changed.length === 0) return;
  const words = changed.slice(0, MOST_NAMED).map((path) => {
    if (after[path] === undefined) return `${path} is gone`;
    return before[path] === undefined ? `${path} is new` : `${path} was edited`;
  });
  const rest = changed.length - words.length;
  throw stale([...words, ...(rest > 0 ? [`and ${rest} more files`] : [])].join(', '));
}

/**
 * Refuses a saved change set that was made elsewhere or by another version.
 *
 * @throws CHANGESET_OTHER_TARGET, CHANGESET_STALE
 */
export function checkOrigin(
  saved: SavedChangeSet,
  now: { readonly target: Target; readonly engine: string; readonly lineage?: string },
): void {
  if (saved.engine !== now.engine) {
    throw stale(`Windlass ${saved.engine} made it, and this is Windlass ${now.engine}`);
  }
  if (saved.target === null) {
    throw stale('it was made with --offline, so nothing in it was compared with the platform');
  }
  const other = membersDiffering(saved, saved.target, now);
  if (other.length === 0) return;
  const { environment } = saved.changeSet;
  throw new WindlassError(
    'CHANGESET_OTHER_TARGET',
    `The saved change set was made for ${saved.target.origin}; ${environment} is now ${now.target.origin} (${other.join(' and ')} differ).`,
  );
}

/**
 * Members in which two targets differ. Two keys of one organisation do not: the service says so, or both were proven for the
 * lineage of the change set, each when it was used.
 */
function membersDiffering(
  { lineage }: SavedChangeSet,
  then: Target,
  { target, lineage: locked }: { readonly target: Target; readonly lineage?: string },
): readonly string[] {
  const differ = (name: 'origin' | 'chain' | 'organisation' | 'client'): boolean =>
    then[name] !== target[name];
  const isNamed = then.organisation !== undefined && target.organisation !== undefined;
  const isProven = lineage !== null && lineage === locked;
  const who = isNamed ? (['organisation'] as const) : isProven ? [] : (['client'] as const);
  return (['origin', 'chain', ...who] as const).filter(differ);
}

/**
 * The selection with which the difference is computed anew. Once an apply of the change set began, what it has made
 * anew since is not to be made anew a second time.
 */
export function selectionNow(saved: SavedChangeSet, state: LineageState): Selection {
  const began = runOf(saved, state);
  if (began === undefined || saved.selection.replaces.length === 0) return saved.selection;
  const left = saved.changeSet.changes.filter(({ id, action }) => {
    const entry = state.lock?.entries.get(id);
    return action === 'replace' && (entry === undefined || entry.at < began.started.at);
  });
  return { ...saved.selection, replaces: left.map(({ id }) => id) };
}

/**
 * Says whether a saved change set may be applied, and gives the one to execute: the saved one, or what an
 * interrupted apply of it left to do.
 *
 * | lock since then | runs of it | difference now | |
 * |---|---|---|---|
 * | unchanged | – | the same | apply |
 * | unchanged | – | another | stale |
 * | moved on | none | nothing to do | applied already, by a run whose journal is elsewhere |
 * | moved on | none | something | stale |
 * | moved on | some | nothing to do | applied already |
 * | moved on | some | a part of it | resume |
 * | moved on | some | more or else | stale |
 *
 * @param fresh the difference computed now, with the same flags
 * @throws CHANGESET_STALE naming what changed; CHANGESET_APPLIED
 */
export function admitSaved(saved: SavedChangeSet, fresh: ChangeSet, state: LineageState): ChangeSet {
  const began = runOf(saved, state);
  const moved = lockMoved(saved, state);
  if (isEmpty(fresh) && fresh.steps.length === 0 && (began !== undefined || moved !== undefined)) {
    throw new WindlassError(
      'CHANGESET_APPLIED',
      'This change set was applied, and nothing of it is left to do.',
    );
  }
  if (began === undefined) {
    if (moved !== undefined) throw stale(moved);
    if (canonicalJson(toJson(saved.changeSet)) === canonicalJson(toJson(fresh))) return saved.changeSet;
    throw stale(whatChanged(saved.changeSet, fresh));
  }
  const since = addressSince(began, state);
  const planned = new Map(saved.changeSet.changes.map((change) => [change.id, gist(change, since)]));
  const other = fresh.changes.find(
    (change) => change.action !== 'none' && planned.get(change.id) !== gist(change),
  );
  if (other !== undefined) throw stale(`${other.id} is now to be handled otherwise (${other.reason})`);
  return fresh;
}

/** The first run that was given this change set. */
function runOf(saved: SavedChangeSet, state: LineageState): RunRecord | undefined {
  const digest = savedDigest(saved);
  return state.runs.find(({ started }) => started.changeSet === digest);
}

/** How the lock is another one than it was; undefined: it is not. A lineage that holds nothing yet counts as none. */
function lockMoved(saved: SavedChangeSet, { lock }: LineageState): string | undefined {
  if (saved.lineage === null) {
    return (lock?.serial ?? 0) === 0 ? undefined : 'the lock has changed since: then nothing was locked';
  }
  if (lock === undefined) return 'the lock is gone';
  if (lock.lineage !== saved.lineage) return 'the lock is of another lineage';
  if (lock.serial === saved.serial) return undefined;
  return `the lock has changed since: its serial was ${saved.serial} and is ${lock.serial}`;
}

const MOST_NAMED = 5;

function whatChanged(saved: ChangeSet, fresh: ChangeSet): string {
  const before = new Map(saved.changes.map((change) => [change.id, change]));
  const changed = fresh.changes.flatMap((change) => {
    const then = before.get(change.id);
    if (then === undefined) return [`${change.id} is new`];
    if (canonicalJson(toJson(then)) === canonicalJson(toJson(change))) return [];
    const members = ['action', 'remote', 'inputs', 'drift'] as const;
    const differing = members.filter(
      (name) => canonicalJson(then[name] as Json) !== canonicalJson(change[name] as Json),
    );
    return [`${change.id} differs${differing.length === 0 ? '' : ` in ${differing.join(', ')}`}`];
  });
  if (changed.length === 0) return 'the change set computed now is another one';
  const rest = changed.length - MOST_NAMED;
  return `${changed.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

type AddressOf = (id: ResourceId) => string | undefined;

/** Addresses that became known since an apply began: where `(known after …)` was agreed to, they are what was meant. */
function addressSince({ started }: RunRecord, { lock }: LineageState): AddressOf {
  return (id) => {
    const entry = lock?.entries.get(id);
    return entry === undefined || entry.at < started.at ? undefined : entry.outputs.address;
  };
}

/** What a person agreed to, as canonical JSON: not the wording, nor what reads show meanwhile. */
function gist({ id, action, inputs }: Change, since: AddressOf = () => undefined): string {
  return canonicalJson({ id, action, inputs: fillPlaceholders(inputs, since) });
}

function toJson(value: ChangeSet | Change): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function stale(why: string): WindlassError {
  return new WindlassError('CHANGESET_STALE', `The saved change set is stale: ${why}.`);
}
