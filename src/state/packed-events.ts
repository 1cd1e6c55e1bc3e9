import { invariant } from '../model/error.js';
import type { Json } from '../model/json.js';
import { ByteStore, MAX_PIECE } from './byte-store.js';
import { fitsForm, MAX_HOLES, type EventForm, type FormSpan } from './event-form.js';
import { formOf } from './form-draft.js';
import type { JournalEvent } from './event.js';
import {
  MAX_TEXT,
  packedLength,
  readOffset,
  readPacked,
  TAGS,
  writeOffset,
  writePacked,
} from './packed-value.js';

/** Forms that are kept: more would cost every record more than they save. */
const MAX_FORMS = 32;

/** Bytes before the values: the form, and the event before of the same attempt. */
const HEADER = 6;

/** Longest value that is looked for in the event before it; after so many failures in a hole it is not any more. */
const MAX_REPEATED = 128;
const MAX_MISSES = 16;

/** An event's text with the form that it fits; where its holes are, `PackedEvents` tells. */
export interface FittingText {
  readonly form: EventForm;
  readonly bytes: Uint8Array;
}

/** The names that a packed event does not repeat. */
export interface OwnNames {
  readonly step: string;
  readonly id: string;
}

interface Repeats {
  readonly bytes: Uint8Array;
  length: number;
  /** Where it is; 0 for nowhere yet. */
  offset: number;
  misses: number;
}

/** Events as values of their forms, in bytes. */
export class PackedEvents {
  /** Start and end of each hole of the text that fitted last. */
  readonly #holes = new Int32Array(2 * MAX_HOLES);
  readonly #store: ByteStore;
  readonly #forms: EventForm[] = [];
  readonly #repeats: (readonly Repeats[])[] = [];
  /** The form that came after each last time. */
  readonly #next: number[] = [];
  #last = 0;

  constructor(store: ByteStore) {
    this.#store = store;
  }

  /** The form that a text fits; the events of a journal follow one another as those before them did. */
  fit(bytes: Uint8Array, start: number, end: number): EventForm | undefined {
    const text = { start, end };
    const likely = this.#next[this.#last] ?? 0;
    let found = this.#fits(likely, bytes, text) ? likely : -1;
    for (let index = 0; found < 0 && index < this.#forms.length; index += 1)
      if (index !== likely && this.#fits(index, bytes, text)) found = index;
    if (found < 0) return undefined;
    this.#next[this.#last] = found;
    this.#last = found;
    return this.#forms[found];
  }

  /** Learns the form of an event that fitted none. */
  learn(event: JournalEvent, json: string): void {
    if (this.#forms.length >= MAX_FORMS) return;
    const form = formOf(event, json);
    if (form === undefined) return;
    this.#forms.push(form);
    this.#repeats.push(
      Array.from(form.texts, () => ({
        bytes: new Uint8Array(MAX_REPEATED),
        length: 0,
        offset: 0,
        misses: 0,
      })),
    );
  }

  /**
   * Keeps the event whose text fitted last.
   *
   * @param previous the attempt's event before it; 0 for none
   * @returns where it is, or 0 when it is too long to be kept
   */
  put({ form, bytes }: FittingText, previous: number): number {
    const count = form.texts.length;
    let size = HEADER;
    for (let hole = 0; hole < count; hole += 1) {
      const length = this.endOf(hole) - this.startOf(hole);
      if (length > MAX_TEXT) return 0;
      size += length + 5;
    }
    if (size > MAX_PIECE) return 0;
    const chunk = this.#store.room(size);
    const offset = this.#store.end;
    const index = this.#forms.indexOf(form);
    let at = this.#store.indexOf(offset);
    chunk[at++] = index >>> 8;
    chunk[at++] = index & 0xff;
    at = writeOffset(chunk, at, previous);
    for (let hole = 0; hole < count; hole += 1)
      at = this.#putHole({ form, bytes }, index, { hole, chunk, at });
    this.#store.keep(at);
    return offset;
  }

  /** Where a hole of the text that fitted last begins. */
  startOf(hole: number): number {
    return this.#holes[2 * hole] ?? 0;
  }

  /** Where it ends. */
  endOf(hole: number): number {
    return this.#holes[2 * hole + 1] ?? 0;
  }

  /** The event before it of the same attempt; 0 for none. */
  previousOf(offset: number): number {
    return readOffset(this.#store.chunkOf(offset), this.#store.indexOf(offset) + 2);
  }

  /** The form of a kept event. */
  formOf(offset: number): EventForm {
    const chunk = this.#store.chunkOf(offset);
    const at = this.#store.indexOf(offset);
    const form = this.#forms[((chunk[at] ?? 0) << 8) | (chunk[at + 1] ?? 0)];
    invariant(form !== undefined, 'a packed event has a form');
    return form;
  }

  /** The event as it was. */
  event(offset: number, names: OwnNames): JournalEvent {
    return this.#parse(offset, this.formOf(offset).whole, names) as unknown as JournalEvent;
  }

  /** The value of the one member of its `inputs` or `outputs`. */
  value(offset: number, names: OwnNames): Json {
    const { value } = this.formOf(offset);
    invariant(value !== undefined, 'only a form with such a member is asked');
    return this.#parse(offset, value, names);
  }

  /** The text in one hole. */
  text(offset: number, hole: number, names: OwnNames): string {
    const chunk = this.#store.chunkOf(offset);
    return this.#read(chunk, this.#holeAt(offset, hole), names);
  }

  /** The packed bytes in one hole: their place in the store. */
  placeOf(offset: number, hole: number): number {
    return offset - this.#store.indexOf(offset) + this.#holeAt(offset, hole);
  }

  #fits(index: number, bytes: Uint8Array, text: { readonly start: number; readonly end: number }): boolean {
    const form = this.#forms[index];
    return form !== undefined && fitsForm(form, bytes, text, this.#holes);
  }

  #holeAt(offset: number, hole: number): number {
    const chunk = this.#store.chunkOf(offset);
    let at = this.#store.indexOf(offset) + HEADER;
    for (let index = 0; index < hole; index += 1) at += packedLength(chunk, at);
    return at;
  }

  #putHole(
    { form: { holes }, bytes }: FittingText,
    index: number,
    { hole, chunk, at }: { readonly hole: number; readonly chunk: Uint8Array; readonly at: number },
  ): number {
    if (hole === holes.step) return tagged(chunk, at, TAGS.step);
    if (hole === holes.resource || hole === holes.key) return tagged(chunk, at, TAGS.id);
    const from = this.startOf(hole);
    const to = this.endOf(hole);
    const repeats = this.#repeats[index]?.[hole];
    // The token is found by its bytes.
    const looks = hole !== holes.token && repeats !== undefined && isWorthwhile(repeats, to - from);
    if (looks && isRepeated(repeats, bytes, from, to))
      return writeOffset(chunk, tagged(chunk, at, TAGS.same), repeats.offset);
    if (looks) remember(repeats, bytes, from, to);
    if (looks) repeats.offset = this.#store.end - this.#store.indexOf(this.#store.end) + at;
    return writePacked(chunk, at, { bytes, from, to });
  }

  #parse(offset: number, span: FormSpan, names: OwnNames): Json {
    const { firstHole, literals } = span;
    const chunk = this.#store.chunkOf(offset);
    let at = this.#holeAt(offset, firstHole);
    let json = literals[0] ?? '';
    for (let part = 1; part < literals.length; part += 1) {
      json += this.#read(chunk, at, names) + (literals[part] ?? '');
      at += packedLength(chunk, at);
    }
    return JSON.parse(json) as Json;
  }

  #read(chunk: Buffer, at: number, names: OwnNames): string {
    const tag = chunk[at];
    if (tag === TAGS.step) return names.step;
    if (tag === TAGS.id) return names.id;
    if (tag !== TAGS.same) return readPacked(chunk, at);
    const offset = readOffset(chunk, at + 1);
    return readPacked(this.#store.chunkOf(offset), this.#store.indexOf(offset));
  }
}

function tagged(chunk: Uint8Array, at: number, tag: number): number {
  chunk[at] = tag;
  return at + 1;
}

/** Short texts are kept as they are; what never repeats is not compared for ever. */
function isWorthwhile({ misses }: Repeats, length: number): boolean {
  return length > 4 && length <= MAX_REPEATED && misses < MAX_MISSES;
}

function isRepeated(repeats: Repeats, bytes: Uint8Array, from: number, to: number): boolean {
  if (repeats.offset === 0 || repeats.length !== to - from) return false;
  for (let index = from; index < to; index += 1)
    if (bytes[index] !== repeats.bytes[index - from]) return false;
  repeats.misses = 0;
  return true;
}

function remember(repeats: Repeats, bytes: Uint8Array, from: number, to: number): void {
  for (let index = from; index < to; index += 1) repeats.bytes[index - from] = bytes[index] ?? 0;
  repeats.length = to - from;
  repeats.misses += 1;
}
