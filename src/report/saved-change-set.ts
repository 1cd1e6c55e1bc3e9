import { parseBoundedJson } from '../model/bounded-json.js';
import type { Selection } from '../diff/selection.js';
import { digestOf, type Digest } from '../model/canonical.js';
import type { ChangeSet } from '../model/change.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import type { Target } from '../state/event.js';

/** What `plan --out` keeps: a change set, and all that it was made from. Holds no secret and no personal data. */
export interface SavedChangeSet {
  /** The plan's file, relative to the folder of the saved change set. */
  readonly planPath: string;
  /** Null when it was made offline: it can be shown, not applied. */
  readonly target: Target | null;
  /** Lineage and serial of the lock then; null before the first apply. */
  readonly lineage: string | null;
  readonly serial: number;
  /** The flags that chose what it is about. */
  readonly selection: Selection;
  readonly forget: boolean;
  /** Version of Windlass that computed it. */
  readonly engine: string;
  /** Every file that the plan names: path relative to the plan's folder → digest. */
  readonly files: Readonly<Record<string, Digest>>;
  readonly changeSet: ChangeSet;
}

const KIND = 'windlass-change-set';
const FORMAT = 2;

/** What a saved change set has and no plan: one edited byte spoils one of them at most. */
const SIGNS = ['"kind": ', `"${KIND}"`, '"planPath": ', '"changeSet": '];

/** The text of a saved change set. Its digest shows edits. */
export function formatSavedChangeSet(saved: SavedChangeSet): string {
  const content = JSON.parse(JSON.stringify(saved)) as Json;
  return `${JSON.stringify({ kind: KIND, format: FORMAT, digest: digestOf(content), content }, null, 2)}\n`;
}

/** True for a text that is, or was before somebody edited it, a saved change set. */
export function looksLikeSavedChangeSet(text: string): boolean {
  const cutShort = text.startsWith('{') && text.slice(0, 60).includes(`"${KIND}"`);
  return cutShort || SIGNS.filter((sign) => text.includes(sign)).length > 2;
}

/**
 * Reads a saved change set back.
 *
 * @throws CHANGESET_TAMPERED when one byte of it is not as it was written, white space and order of members included
 */
export function parseSavedChangeSet(text: string): SavedChangeSet {
  const value = parseJson(text);
  const content = member(value, 'content');
  const format = member(value, 'format');
  if (textMember(value, 'kind') !== KIND || format !== FORMAT || !isJsonObject(content)) {
    throw tampered('The file is not a change set that this version wrote.');
  }
  if (textMember(value, 'digest') !== digestOf(content)) {
    throw tampered('The saved change set was edited: its digest does not fit its content.');
  }
  const saved = content as unknown as SavedChangeSet;
  if (formatSavedChangeSet(saved) === text) return saved;
  throw tampered('The saved change set was edited: it is not byte for byte what was written.');
}

/** What a run records about the saved change set that it was given: one for each that differs in anything. */
export function savedDigest(saved: SavedChangeSet): Digest {
  return digestOf(JSON.parse(JSON.stringify(saved)) as Json);
}

function tampered(message: string): WindlassError {
  return new WindlassError('CHANGESET_TAMPERED', message);
}

function parseJson(text: string): Json {
  try {
    return parseBoundedJson(text);
  } catch {
    return null;
  }
}
