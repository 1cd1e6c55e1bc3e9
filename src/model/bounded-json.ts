import type { Json } from './json.js';

/** Deepest nesting of JSON that comes from outside; what a service, a lockfile or a person writes needs about twenty. */
const MAX_DEPTH = 200;

/**
 * What `JSON.parse` makes of a text, unless it nests deeper than {@link MAX_DEPTH}: whoever walks the value recurses, and a
 * text of brackets would take the stack, and gigabytes on the way. Told from the text, before anything is made of it.
 *
 * @throws SyntaxError
 */
export function parseBoundedJson(text: string): Json {
  if (nestsDeeper(text, MAX_DEPTH)) throw new SyntaxError(`nests deeper than ${MAX_DEPTH} levels`);
  return JSON.parse(text) as Json;
}

/** True when brackets of a JSON text stand deeper in one another than that. Looks at each character once. */
export function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === BRACE || sign === BRACKET) depth += 1;
    else if (sign === BRACE + 2 || sign === BRACKET + 2) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** `{` and `[`; what closes them is two further on. */
const BRACE = 0x7b;
const BRACKET = 0x5b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
