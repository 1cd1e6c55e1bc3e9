import { hash } from 'node:crypto';
import type { Json } from './json.js';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/**
 * The one text of a JSON value: members sorted by code unit, no white space, as RFC 8785 does for the
 * values Windlass uses. Two values are equal exactly when their canonical texts are.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: Json | undefined };
  let members = '';
  for (const key of sortedKeys(object)) {
    const item = object[key];
    if (item === undefined) continue;
    if (members !== '') members += ',';
    members += `${quoted(key)}:${canonicalJson(item)}`;
  }
  return `{${members}}`;
}

/** Longer texts are looked at by JSON itself. */
const SHORT = 128;

function quoted(text: string): string {
  return text.length <= SHORT && isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/** True for a text that JSON writes as it is, as most names are: quicker than asking for each. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** So few members are put in order by hand: `sort` allocates several times what they are. */
const FEW = 16;

/** The names of an object's members, in order of code units. */
export function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  if (keys.length > FEW) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    let place = index;
    for (let before = keys[place - 1]; before !== undefined && before > key; before = keys[place - 1]) {
      keys[place] = before;
      place -= 1;
    }
    keys[place] = key;
  }
  return keys;
}

/** SHA-256 of bytes; a string counts as its UTF-8 bytes. */
export function digestOfBytes(bytes: string | Uint8Array): Digest {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** SHA-256 of the canonical text of a JSON value. */
export function digestOf(value: Json): Digest {
  return digestOfBytes(canonicalJson(value));
}

/** True when two values have one canonical text; most often without making it. */
export function isSameJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return one === other;
  if (Array.isArray(one) || Array.isArray(other)) return canonicalJson(one) === canonicalJson(other);
  const members = one as { readonly [key: string]: Json | undefined };
  const others = other as { readonly [key: string]: Json | undefined };
  const keys = Object.keys(members);
  return (
    keys.length === Object.keys(others).length &&
    keys.every((key) => isSameMember(members[key], Object.hasOwn(others, key) ? others[key] : undefined))
  );
}

function isSameMember(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSameJson(one, other);
}
