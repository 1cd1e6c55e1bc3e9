import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/canonical.js';
import { inexactnesses, isLoss } from '../model/exact-json.js';
import { isJsonObject, textMember, type Json } from '../model/json.js';

/**
 * Digest-first audit metadata: `{"d":"<43 base64url characters>","k":"<step key>","v":<metadata>}`.
 *
 * The service hashes metadata with bcrypt, which reads 72 bytes. `d` is the SHA-256 of the canonical text of the
 * other members and ends at byte 50, so that a change at any byte shows (reliability §6.9). `k` finds the record
 * again when its answer was lost.
 *
 * @param metadata string or JSON; sent exactly as it is under `v`
 */
export function wrapMetadata(metadata: Json, key: string): string {
  const rest = { k: key, v: metadata };
  return `{"d":"${digestOfRest(rest)}",${canonicalJson(rest).slice(1)}`;
}

/** What a record's metadata says of itself: `plain` has no envelope; `altered` contradicts its own digest. */
export function checkMetadata(text: string): 'plain' | 'intact' | 'altered' {
  if (!text.startsWith('{"d":"')) return 'plain';
  try {
    const parsed = JSON.parse(text) as Json;
    if (!isJsonObject(parsed)) return 'plain';
    const { d, ...rest } = parsed;
    return d === digestOfRest(rest) && text === `{"d":"${d}",${canonicalJson(rest).slice(1)}`
      ? 'intact'
      : 'altered';
  } catch {
    return 'altered';
  }
}

/** Bytes of metadata that the service's own hash covers: bcrypt reads no more. */
const HASHED_BYTES = 72;

/** How metadata differs from what was written: what it says instead, and which rule would have missed that. */
export interface MetadataChange {
  readonly shown: Json;
  readonly note: string;
}

/**
 * Compares a record's metadata, as a read shows it, with what was written, to the last byte.
 *
 * @param written the settled metadata
 * @returns undefined when they are equal, but for white space and the order of members
 */
export function metadataChange(
  written: Json,
  envelope: 'digest' | 'none',
  text: string,
): MetadataChange | undefined {
  const expected =
    envelope === 'digest' ? wrapMetadata(written, keyOfMetadata(text) ?? '') : plainMetadata(written);
  if (text === expected) return undefined;
  const said = parsed(text);
  if (saysTheSame(text, expected)) return undefined;
  const isWrapped = envelope === 'digest' && isJsonObject(said) && said['v'] !== undefined;
  const sealed = isWrapped && checkMetadata(text) === 'altered' ? '; it contradicts its own digest' : '';
  const value = isWrapped ? (said['v'] ?? null) : said;
  const shown = canonicalJson(value) === canonicalJson(written) ? text : value;
  return { shown, note: `${whereItDiffers(text, expected)}${sealed}` };
}

function whereItDiffers(text: string, expected: string): string {
  const byte = firstDifference(Buffer.from(text), Buffer.from(expected));
  const rule =
    byte > HASHED_BYTES
      ? `the service's own hash reads ${HASHED_BYTES} bytes and would have missed it`
      : "the service's own hash shows it too";
  return `the metadata differs from byte ${byte} on: ${rule}`;
}

/** True for texts of equal values. A long number is read as another one near it: its text must be equal, too. */
function saysTheSame(text: string, other: string): boolean {
  if (losesWords(text) || losesWords(other)) return false;
  return canonicalJson(parsed(text)) === canonicalJson(parsed(other));
}

/** True for JSON that is read as something else than it says. */
function losesWords(text: string): boolean {
  try {
    JSON.parse(text);
    return inexactnesses(text).some(isLoss);
  } catch {
    return false;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Counted from 1. */
function firstDifference(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index + 1;
  return length + 1;
}

/** The step key in wrapped metadata; undefined when it is not wrapped. */
export function keyOfMetadata(text: string): string | undefined {
  try {
    return textMember(JSON.parse(text), 'k');
  } catch {
    return undefined;
  }
}

/** Metadata as it is sent without an envelope: a string as written, anything else as canonical JSON. */
export function plainMetadata(metadata: Json): string {
  return typeof metadata === 'string' ? metadata : canonicalJson(metadata);
}

function digestOfRest(rest: Json): string {
  return createHash('sha256').update(canonicalJson(rest)).digest('base64url');
}
