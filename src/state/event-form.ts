import type { Grade, JournalEvent } from './event.js';

/**
 * What a form's text means, as `JSON.parse` would make it: with holes, by number, where events differ. A name in a hole is
 * its number.
 */
export type FormPart =
  | { readonly type: 'hole'; readonly hole: number; readonly isText: boolean }
  | { readonly type: 'constant'; readonly value: string | boolean | null }
  | { readonly type: 'list'; readonly items: readonly FormPart[] }
  | {
      readonly type: 'object';
      readonly names: readonly (string | number)[];
      readonly values: readonly FormPart[];
    };

/**
 * The text of an event with its values taken out: what the events of one kind of step have in common. Between two
 * literals stands a hole: a string without escapes, or a whole number. A text that fits a form is well-formed JSON of the
 * same members, so that neither parser nor check has to see it again.
 */
export interface EventForm {
  readonly type: JournalEvent['type'];
  /** The literals, one after the other, and where each ends. */
  readonly literals: Uint8Array;
  /** The same bytes. */
  readonly words: DataView;
  readonly ends: Uint32Array;
  /** By hole: 1 for a string, 0 for a number. One less than literals. */
  readonly texts: Uint8Array;
  /** Which hole holds what; -1 when none does. `key`: the one member of `inputs` or `outputs`. */
  readonly holes: FormHoles;
  /** The value of the one member of `inputs` or `outputs`, or of the `ids` of an answer. */
  readonly value: FormPart | undefined;
  /** All of it. */
  readonly whole: FormPart;
  /** Some of it is filled in later: what is read is not what counts. */
  readonly hasPlaceholders: boolean;
  /** Of a `step-settled`. */
  readonly grade: Grade | undefined;
}

/** A view of bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Places of the holes that the fold looks at. */
export interface FormHoles {
  readonly step: number;
  readonly at: number;
  readonly token: number;
  readonly resource: number;
  readonly key: number;
  /** The transaction that evidence names, or that is among outputs. */
  readonly transaction: number;
}

/** More holes than any event needs. */
export const MAX_HOLES = 256;

/** Digits of a number that every reader keeps exactly. */
const MAX_DIGITS = 15;

/** `"` */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;

/** Where a string without escapes ends; -1 when it has some, or does not end. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && ENDING[bytes[at] ?? 0] === 0) at += 1;
  return at < end && bytes[at] === QUOTE ? at : -1;
}

/** By byte: 1 for what no string holds as it is. */
const ENDING = new Uint8Array(256).fill(1, 0, SPACE);
ENDING[QUOTE] = 1;
ENDING[BACKSLASH] = 1;

/** Where a whole number ends; -1 when it is none, or too long to be exact. */
export function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(bytes[at] ?? 0)) at += 1;
  const length = at - start;
  return length === 0 || length > MAX_DIGITS || (length > 1 && bytes[start] === ZERO) ? -1 : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
