import { parseBoundedJson } from '../model/bounded-json.js';
import type { Json } from '../model/json.js';

/** Deepest nesting of a callback body. Receipts with logs need five. */
const MAX_DEPTH = 20;

/** Member names that could reach a prototype when an object is copied carelessly. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * JSON from strict UTF-8 bytes, refusing what JSON.parse lets pass: a member twice (it would silently take the last
 * one, so a body could say `failed` to one reader and `success` to another), names that touch prototypes, and
 * nesting beyond 20.
 *
 * @returns undefined when refused
 */
export function parseStrictJson(bytes: Uint8Array): Json | undefined {
  try {
    const text = UTF8.decode(bytes);
    const value = parseBoundedJson(text);
    return hasSoundNames(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Walks the tokens of a text that is known to be JSON. One set of names per open object, undefined per open array.
 * A string is a name exactly when a colon follows it.
 */
function hasSoundNames(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === BRACE || sign === BRACKET) open.push(sign === BRACE ? new Set() : undefined);
    else if (sign === BRACE + 2 || sign === BRACKET + 2) open.pop();
    else if (sign === QUOTE) {
      const end = endOfString(text, at);
      if (isName(text, end) && !isNewName(text.slice(at, end), open.at(-1))) return false;
      at = end - 1;
    }
    if (open.length > MAX_DEPTH) return false;
  }
  return true;
}

/** `{` and `[`; what closes them is two further on. */
const BRACE = 0x7b;
const BRACKET = 0x5b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the string that begins at `start` is over: behind its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let sign = text.charCodeAt(at); sign !== QUOTE && at < text.length; sign = text.charCodeAt(at))
    at += sign === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}

function isNewName(quoted: string, names: Set<string> | undefined): boolean {
  // Decoded, because `"\u0061"` is the name `"a"`.
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (FORBIDDEN.has(name) || names === undefined || names.has(name)) return false;
  names.add(name);
  return true;
}
