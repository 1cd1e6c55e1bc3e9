import type { Selection } from '../diff/selection.js';
import { canonicalJson, digestOf, type Digest } from '../model/canonical.js';
import { isEmpty, type Change, type ChangeSet } from '../model/change.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import type { Target } from '../state/event.js';
import type { LineageState, RunRecord } from '../state/project.js';

/** What `plan --out` keeps: a change set, and what it was made from. */
export interface SavedChangeSet {
  /** The plan's file, relative to the folder of the saved change set. */
  readonly planPath: string;
  /** Null when it was made offline and nothing was locked. */
  readonly target: Target | null;
  /** Lineage and serial of the lock then; null before the first apply. */
  readonly lineage: string | null;
  readonly serial: number;
  /** The flags that chose what it is about. */
  readonly selection: Selection;
  readonly forget: boolean;
  readonly changeSet: ChangeSet;
}

const KIND = 'windlass-change-set';
const FORMAT = 1;

/** The text of a saved change set. Its digest shows edits; it holds no secret. */
export function formatSavedChangeSet(saved: SavedChangeSet): string {
  const content = JSON.parse(JSON.stringify(saved)) as Json;
  return `${JSON.stringify({ kind: KIND, format: FORMAT, digest: digestOf(content), content }, null, 2)}\n`;
}

/** True for a text that says of itself that it is a saved change set. */
export function isSavedChangeSet(value: Json): boolean {
  return textMember(value, 'kind') === KIND;
}

/** Reads a saved change set back. @throws CHANGESET_TAMPERED when it is not as it was written */
export function parseSavedChangeSet(text: string): SavedChangeSet {
  const value = parseJson(text);
  const content = member(value, 'content');
  if (!isSavedChangeSet(value) || member(value, 'format') !== FORMAT || !isJsonObject(content)) {
    throw new WindlassError('CHANGESET_TAMPERED', 'The file is not a change set that this version wrote.');
  }
  if (textMember(value, 'digest') !== digestOf(content)) {
    throw new WindlassError(
      'CHANGESET_TAMPERED',
      'The saved change set was edited: its digest does not fit.',
    );
  }
  return content as unknown as SavedChangeSet;
}

/** What a run records about a change set that it was given. */
export function changeSetDigest(changeSet: ChangeSet): Digest {
  return digestOf(JSON.parse(JSON.stringify(changeSet)) as Json);
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
 * | moved on | none | – | stale |
 * | moved on | some | nothing to do | applied already |
 * | moved on | some | a part of it | resume |
 * | moved on | some | more or else | stale |
 *
 * @param fresh the difference computed now, with the same flags
 * @throws CHANGESET_STALE, CHANGESET_APPLIED
 */
export function admitSaved(saved: SavedChangeSet, fresh: ChangeSet, state: LineageState): ChangeSet {
  const same = canonicalJson(toJson(saved.changeSet)) === canonicalJson(toJson(fresh));
  if (runOf(saved, state) === undefined) {
    const moved = state.lock !== undefined && state.lock.serial !== saved.serial;
    if (same && !moved) return saved.changeSet;
    throw stale(moved ? 'the lock has changed since' : whatChanged(saved.changeSet, fresh));
  }
  if (isEmpty(fresh) && fresh.steps.length === 0) {
    throw new WindlassError(
      'CHANGESET_APPLIED',
      'This change set was applied, and nothing of it is left to do.',
    );
  }
  const planned = new Map(saved.changeSet.changes.map((change) => [change.id, canonicalJson(gist(change))]));
  const other = fresh.changes.find(
    (change) => change.action !== 'none' && planned.get(change.id) !== canonicalJson(gist(change)),
  );
  if (other !== undefined) throw stale(`${other.id} is now to be handled otherwise`);
  return fresh;
}

/** The first run that was given this change set. */
function runOf(saved: SavedChangeSet, state: LineageState): RunRecord | undefined {
  const digest = changeSetDigest(saved.changeSet);
  return state.runs.find(({ started }) => started.changeSet === digest);
}

function whatChanged(saved: ChangeSet, fresh: ChangeSet): string {
  if (saved.plan.digest !== fresh.plan.digest) return `${fresh.plan.file} was edited`;
  const before = new Map(saved.changes.map((change) => [change.id, canonicalJson(toJson(change))]));
  const changed = fresh.changes.find((change) => before.get(change.id) !== canonicalJson(toJson(change)));
  return changed === undefined ? 'it no longer fits' : `${changed.id} differs`;
}

/** What a person agreed to: not the wording, nor what reads show meanwhile. */
function gist({ id, action, inputs }: Change): Json {
  return { id, action, inputs };
}

function toJson(value: ChangeSet | Change): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function stale(why: string): WindlassError {
  return new WindlassError('CHANGESET_STALE', `The saved change set is stale: ${why}.`);
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
