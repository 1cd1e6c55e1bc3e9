import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/canonical.js';
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
