import { MAX_HOLES, numberEnd, QUOTE, textEnd, viewOf, type EventForm } from './event-form.js';
import { DigitPacker, lengthOfTag, MAX_PACKED, packedBytes, tagOfLength } from './packed-digits.js';
import { TAGS, writeOffset, writeText } from './packed-value.js';

const HASH = 0x23;

/** Longest value that is looked for in the event before it; after so many failures in a hole it is not any more. */
const MAX_REPEATED = 128;
const MAX_MISSES = 16;

/** Short texts are kept as they are. */
const MIN_REPEATED = 5;

/** A value that the next event of the form may repeat. */
interface Repeats {
  readonly bytes: Uint8Array;
  length: number;
  /** Where it is kept; 0 for nowhere yet. */
  offset: number;
  misses: number;
}

/** A form, and what its holes held lately: that makes it quicker to read the next, and never changes what is read. */
export interface KnownForm {
  readonly form: EventForm;
  /** Its place among the forms. */
  readonly index: number;
  /** By hole: the tag that stands for every value there; 0 for none. */
  readonly roles: Uint8Array;
  /** By hole: the tag that the last value had; 0 for a plain text. */
  readonly tags: Uint8Array;
  /** By hole; undefined where repeats do not matter. */
  readonly repeats: readonly (Repeats | undefined)[];
}

/** A form of which nothing was read yet. */
export function knownForm(form: EventForm, index: number): KnownForm {
  const { texts, holes } = form;
  const roles = new Uint8Array(texts.length);
  for (const hole of [holes.resource, holes.key]) if (hole >= 0) roles[hole] = TAGS.id;
  roles[holes.step] = TAGS.step;
  // The token is found by its bytes.
  const repeats = Array.from(texts, (text, hole) =>
    text === 1 && roles[hole] === 0 && hole !== holes.token ? unseen() : undefined,
  );
  return { form, index, roles, tags: new Uint8Array(texts.length), repeats };
}

function unseen(): Repeats {
  return { bytes: new Uint8Array(MAX_REPEATED), length: 0, offset: 0, misses: 0 };
}

/** Matches the texts of events with forms, and keeps what stands in the holes of the one that fitted last. */
export class FormMatch {
  #bytes: Uint8Array = new Uint8Array();
  #view = viewOf(this.#bytes);
  /** Start and end of each hole. */
  readonly #places = new Int32Array(2 * MAX_HOLES);
  /** By hole: how its value is kept, as far as that is known; 0 otherwise. */
  readonly #tags = new Uint8Array(MAX_HOLES);
  readonly #digits = new DigitPacker(MAX_HOLES);
  /** Where the bytes are in the store that {@link write} is given next. */
  base = 0;

  /** The bytes that are matched from now on: UTF-8. */
  look(bytes: Uint8Array): void {
    if (this.#bytes === bytes) return;
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  /** True when the bytes from `start` to `end` are an event of the form. */
  fits(known: KnownForm, start: number, end: number): boolean {
    const { literals, words, ends, texts } = known.form;
    if (end - start < literals.length) return false;
    const bytes = this.#bytes;
    const view = this.#view;
    const places = this.#places;
    const count = texts.length;
    let at = start;
    let index = 0;
    for (let part = 0; part <= count; part += 1) {
      const literalEnd = ends[part] ?? 0;
      if (at + literalEnd - index > end) return false;
      // Four bytes at a time: this is where the time of reading goes.
      for (; index + 4 <= literalEnd; index += 4, at += 4)
        if (view.getInt32(at) !== words.getInt32(index)) return false;
      for (; index < literalEnd; index += 1, at += 1) if (bytes[at] !== literals[index]) return false;
      if (part === count) break;
      places[2 * part] = at;
      at = texts[part] === 1 ? this.#textEnd(known, part, end) : this.#numberEnd(part, end);
      if (at < 0) return false;
      places[2 * part + 1] = at;
    }
    return at === end;
  }

  /** Where a hole of the text that fitted last begins. */
  startOf(hole: number): number {
    return this.#places[2 * hole] ?? 0;
  }

  /** Where it ends. */
  endOf(hole: number): number {
    return this.#places[2 * hole + 1] ?? 0;
  }

  /** True for a hole that repeats the beginning of the step's name up to a `#`. */
  isNamed(hole: number): boolean {
    return this.#tags[hole] === TAGS.id;
  }

  /** Writes the value in a hole in its shortest form. @returns the index after it */
  write(known: KnownForm, hole: number, target: Uint8Array, start: number): number {
    const tag = this.#tagOf(known, hole);
    const repeats = known.repeats[hole];
    if (tag === TAGS.same && repeats !== undefined) {
      target[start] = tag;
      repeats.misses = 0;
      return writeOffset(target, start + 1, repeats.offset);
    }
    if (repeats !== undefined && repeats.misses < MAX_MISSES)
      this.#remember(repeats, hole, this.base + start);
    if (tag === 0)
      return writeText(target, start, { bytes: this.#bytes, from: this.startOf(hole), to: this.endOf(hole) });
    target[start] = tag;
    return this.#writeDigits(hole, tag, target, start + 1);
  }

  /** How the value in a hole is kept: 0 as it is, `same` as the one before, else by its digits. */
  #tagOf({ tags }: KnownForm, hole: number): number {
    const known = this.#tags[hole] ?? 0;
    if (known !== 0) return known;
    const from = this.startOf(hole);
    const tag = tagOfLength(this.endOf(hole) - from);
    const kept = tag !== 0 && this.#digits.pack(tag, this.#bytes, from, hole) ? tag : 0;
    tags[hole] = kept;
    return kept;
  }

  #writeDigits(hole: number, tag: number, target: Uint8Array, start: number): number {
    const { packed } = this.#digits;
    const from = hole * MAX_PACKED;
    const count = packedBytes(tag);
    for (let index = 0; index < count; index += 1) target[start + index] = packed[from + index] ?? 0;
    return start + count;
  }

  /** Remembers the value of a hole, which is kept at an offset, should the next event repeat it. */
  #remember(repeated: Repeats, hole: number, offset: number): void {
    const from = this.startOf(hole);
    const length = this.endOf(hole) - from;
    if (length < MIN_REPEATED || length > MAX_REPEATED) return;
    for (let index = 0; index < length; index += 1) repeated.bytes[index] = this.#bytes[from + index] ?? 0;
    repeated.length = length;
    repeated.misses += 1;
    repeated.offset = offset;
  }

  /** Where the text in a hole ends; -1 when it has escapes, or does not end. What it is like is tried first. */
  #textEnd(known: KnownForm, hole: number, end: number): number {
    const at = this.startOf(hole);
    const repeated = known.repeats[hole];
    if (repeated !== undefined && this.#isRepeated(repeated, at, end)) {
      this.#tags[hole] = TAGS.same;
      return at + repeated.length;
    }
    const tag = known.roles[hole] === TAGS.id ? TAGS.id : (known.tags[hole] ?? 0);
    const found = tag === 0 ? -1 : this.#endByTag(known, hole, tag);
    this.#tags[hole] = found < 0 || found >= end ? 0 : tag;
    return this.#tags[hole] === 0 ? textEnd(this.#bytes, at, end) : found;
  }

  #numberEnd(hole: number, end: number): number {
    this.#tags[hole] = 0;
    return numberEnd(this.#bytes, this.startOf(hole), end);
  }

  #endByTag({ form }: KnownForm, hole: number, tag: number): number {
    if (tag === TAGS.id) return form.holes.step < hole ? this.#idEnd(form.holes.step, hole) : -1;
    const at = this.startOf(hole);
    const end = at + lengthOfTag(tag);
    return this.#bytes[end] === QUOTE && this.#digits.pack(tag, this.#bytes, at, hole) ? end : -1;
  }

  /** Where a text ends that repeats the name of the step up to a `#`; -1 when it does not. */
  #idEnd(step: number, hole: number): number {
    const bytes = this.#bytes;
    let at = this.startOf(hole);
    let own = this.startOf(step);
    const ownEnd = this.endOf(step);
    while (own < ownEnd && bytes[at] === bytes[own]) {
      at += 1;
      own += 1;
    }
    return own < ownEnd && bytes[own] === HASH && bytes[at] === QUOTE ? at : -1;
  }

  #isRepeated({ bytes: wanted, length, offset, misses }: Repeats, at: number, end: number): boolean {
    if (offset === 0 || misses >= MAX_MISSES || at + length >= end) return false;
    const bytes = this.#bytes;
    if (bytes[at + length] !== QUOTE) return false;
    for (let index = 0; index < length; index += 1) if (bytes[at + index] !== wanted[index]) return false;
    return true;
  }
}
