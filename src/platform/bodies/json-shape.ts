/** Levels that JSON may nest. */
export const DEPTH = 64;

/** Values of one JSON text, members of objects and items of lists together. */
export const VALUES = 100_000;

/** What is wrong with the shape of a JSON text. */
export type ShapeFault = 'depth' | 'values';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Looks at the shape of a JSON text before anything is made of it, in one pass: parsers take minutes and gigabytes for
 * what nests a million times. Says nothing of whether the text is JSON.
 *
 * @param text UTF-8
 * @returns undefined when the text is flat and short enough
 */
export function shapeFault(text: Uint8Array, values = VALUES, levels = DEPTH): ShapeFault | undefined {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at + 1);
    else if (byte === COMMA) count += 1;
    // [ and {, ] and } differ in one bit each.
    else if (byte !== undefined && (byte | 0x20) === 0x7b) {
      depth += 1;
      count += 1;
      if (depth > levels) return 'depth';
    } else if (byte !== undefined && (byte | 0x20) === 0x7d) depth -= 1;
    if (count > values) return 'values';
  }
  return undefined;
}

/** Place of the quote that ends a string. */
function endOfString(text: Uint8Array, from: number): number {
  let end = text.indexOf(QUOTE, from);
  while (end !== -1 && isEscaped(text, from, end)) end = text.indexOf(QUOTE, end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && text[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
