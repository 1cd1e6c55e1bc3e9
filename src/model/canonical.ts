import { hash } from 'node:crypto';
import type { Json } from './json.js';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/**
 * The one text of a JSON value: members sorted by code unit, no white space, as RFC 8785 does for the
 * values Windlass uses. Two values are equal exactly when their canonical texts are.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: Json | undefined };
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item === undefined) continue;
    if (members !== '') members += ',';
    members += `${JSON.stringify(key)}:${canonicalJson(item)}`;
  }
  return `{${members}}`;
}

/** SHA-256 of bytes; a string counts as its UTF-8 bytes. */
export function digestOfBytes(bytes: string | Uint8Array): Digest {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** SHA-256 of the canonical text of a JSON value. */
export function digestOf(value: Json): Digest {
  return digestOfBytes(canonicalJson(value));
}
