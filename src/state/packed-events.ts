import { MAX_PIECE, type ByteStore } from './byte-store.js';
import type { EventForm } from './event-form.js';
import type { JournalEvent } from './event.js';
import { formOf } from './form-draft.js';
import { FormMatch, knownForm, type KnownForm } from './form-match.js';
import { HEADER_BYTES, PackedReader } from './packed-reader.js';
import { MAX_TEXT, writeOffset } from './packed-value.js';

/** Forms that are kept: more would cost every record more than they save. */
const MAX_FORMS = 32;

/** Bytes that a packed value may have more than its text. */
const MORE = 5;

/** An event's text with the form that it fits; where its holes are, `PackedEvents` tells. */
export interface FittingText {
  readonly form: EventForm;
  readonly bytes: Uint8Array;
}

/** Events as values of their forms, in bytes. */
export class PackedEvents {
  readonly reader: PackedReader;
  readonly #store: ByteStore;
  readonly #match = new FormMatch();
  readonly #forms: EventForm[] = [];
  readonly #known: KnownForm[] = [];
  /** The form that came after each last time. */
  readonly #next: number[] = [];
  #last = 0;
  /** Of the text that fitted last. */
  #lengthBytes = 0;

  constructor(store: ByteStore) {
    this.#store = store;
    this.reader = new PackedReader(store, this.#forms);
  }

  /** The form that a text fits; the events of a journal follow one another as those before them did. */
  fit(bytes: Uint8Array, start: number, end: number): EventForm | undefined {
    this.#match.look(bytes);
    const likely = this.#next[this.#last] ?? 0;
    let found = this.#fits(likely, start, end) ? likely : -1;
    for (let index = 0; found < 0 && index < this.#forms.length; index += 1)
      if (index !== likely && this.#fits(index, start, end)) found = index;
    if (found < 0) return undefined;
    this.#next[this.#last] = found;
    this.#last = found;
    this.#lengthBytes = end - start;
    return this.#forms[found];
  }

  /** Learns the form of an event that fitted none. */
  learn(event: JournalEvent, json: string): void {
    if (this.#forms.length >= MAX_FORMS) return;
    const form = formOf(event, json);
    if (form === undefined) return;
    this.#known.push(knownForm(form, this.#forms.length));
    this.#forms.push(form);
  }

  /**
   * Keeps the event whose text fitted last.
   *
   * @param previous the attempt's event before it; 0 for none
   * @returns where it is, or 0 when it is too long to be kept
   */
  put(previous: number): number {
    const known = this.#known[this.#last];
    const size = HEADER_BYTES + this.#lengthBytes + MORE * (known?.roles.length ?? 0);
    if (known === undefined || size > MAX_PIECE || this.#hasTooLong(known)) return 0;
    const chunk = this.#store.room(size);
    const offset = this.#store.end;
    let at = this.#store.indexOf(offset);
    this.#match.base = offset - at;
    chunk[at++] = known.index >>> 8;
    chunk[at++] = known.index & 0xff;
    at = writeOffset(chunk, at, previous);
    const { roles } = known;
    for (let hole = 0; hole < roles.length; hole += 1) {
      const role = roles[hole] ?? 0;
      if (role === 0) at = this.#match.write(known, hole, chunk, at);
      else chunk[at++] = role;
    }
    this.#store.keep(at);
    return offset;
  }

  /** Where a hole of the text that fitted last begins. */
  startOf(hole: number): number {
    return this.#match.startOf(hole);
  }

  /** Where it ends. */
  endOf(hole: number): number {
    return this.#match.endOf(hole);
  }

  /** True when a hole holds what the step's name begins with, up to `end`. */
  isNamed(hole: number, lengthBytes: number): boolean {
    return this.#match.isNamed(hole) && this.endOf(hole) - this.startOf(hole) === lengthBytes;
  }

  #hasTooLong({ roles }: KnownForm): boolean {
    if (this.#lengthBytes <= MAX_TEXT) return false;
    for (let hole = 0; hole < roles.length; hole += 1)
      if (this.endOf(hole) - this.startOf(hole) > MAX_TEXT) return true;
    return false;
  }

  #fits(index: number, start: number, end: number): boolean {
    const known = this.#known[index];
    return known !== undefined && this.#match.fits(known, start, end);
  }
}
