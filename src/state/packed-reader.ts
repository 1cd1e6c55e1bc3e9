import { invariant } from '../model/error.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { ByteStore } from './byte-store.js';
import { MAX_HOLES, type EventForm, type FormPart } from './event-form.js';
import type { JournalEvent } from './event.js';
import { packedLength, readOffset, readPacked, TAGS } from './packed-value.js';

/** Bytes before the values of a packed event: its form, and the event before of the same attempt. */
export const HEADER_BYTES = 6;

/** The names that a packed event does not repeat. */
export interface OwnNames {
  readonly step: string;
  readonly id: string;
}

/** Texts that are kept once and stood in many events lately; a power of two. */
const KNOWN = 64;

/** Reads packed events, whole or in part, by their offset. */
export class PackedReader {
  readonly #store: ByteStore;
  readonly #forms: readonly EventForm[];
  /** Where the values of the event that is being read are in its chunk. */
  readonly #places = new Int32Array(MAX_HOLES);
  /** Values that many events share, so that they are one text in memory, too. */
  readonly #sharedAt = new Uint32Array(KNOWN);
  readonly #shared: string[] = Array.from({ length: KNOWN }, () => '');

  constructor(store: ByteStore, forms: readonly EventForm[]) {
    this.#store = store;
    this.#forms = forms;
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
    return this.#make(offset, this.formOf(offset).whole, names) as unknown as JournalEvent;
  }

  /** The value of the one member of its `inputs` or `outputs`. */
  value(offset: number, names: OwnNames): Json {
    const { value } = this.formOf(offset);
    invariant(value !== undefined, 'only a form with such a member is asked');
    return this.#make(offset, value, names);
  }

  /** True when {@link value} is equal to one; told without making it. */
  isValue(offset: number, wanted: Json, names: OwnNames): boolean {
    const { value } = this.formOf(offset);
    if (value === undefined) return false;
    this.#find(offset);
    return this.#equals(value, wanted, this.#store.chunkOf(offset), names);
  }

  /** The text that a member of {@link value} is; undefined when it is none, or missing. */
  memberText(offset: number, name: string, names: OwnNames): string | undefined {
    const { value } = this.formOf(offset);
    const place = value?.type === 'object' ? value.names.indexOf(name) : -1;
    const part = value?.type === 'object' ? value.values[place] : undefined;
    if (part?.type === 'constant') return typeof part.value === 'string' ? part.value : undefined;
    return part?.type === 'hole' && part.isText ? this.text(offset, part.hole, names) : undefined;
  }

  /** The text in one hole. */
  text(offset: number, hole: number, names: OwnNames): string {
    return this.#read(this.#store.chunkOf(offset), this.#holeAt(offset, hole), names);
  }

  /** The packed bytes in one hole: their place in the store. */
  placeOf(offset: number, hole: number): number {
    return offset - this.#store.indexOf(offset) + this.#holeAt(offset, hole);
  }

  /** True when two holes, each given with its event, hold one text that stands for itself. */
  isSameValue(one: readonly [offset: number, hole: number], other: typeof one): boolean {
    const [chunk, at, length] = this.#bytesOf(...one);
    const [others, otherAt, otherLength] = this.#bytesOf(...other);
    const isOwn = length > 1 && length === otherLength && chunk[at] !== TAGS.same;
    return isOwn && chunk.compare(others, otherAt, otherAt + length, at, at + length) === 0;
  }

  #bytesOf(offset: number, hole: number): readonly [chunk: Buffer, at: number, length: number] {
    const chunk = this.#store.chunkOf(offset);
    const at = this.#holeAt(offset, hole);
    return [chunk, at, packedLength(chunk, at)];
  }

  #holeAt(offset: number, hole: number): number {
    const chunk = this.#store.chunkOf(offset);
    let at = this.#store.indexOf(offset) + HEADER_BYTES;
    for (let index = 0; index < hole; index += 1) at += packedLength(chunk, at);
    return at;
  }

  #make(offset: number, part: FormPart, names: OwnNames): Json {
    this.#find(offset);
    return this.#fill(part, this.#store.chunkOf(offset), names);
  }

  /** Notes where the values of an event are. */
  #find(offset: number): void {
    const chunk = this.#store.chunkOf(offset);
    const count = this.formOf(offset).texts.length;
    let at = this.#store.indexOf(offset) + HEADER_BYTES;
    for (let hole = 0; hole < count; hole += 1) {
      this.#places[hole] = at;
      at += packedLength(chunk, at);
    }
  }

  /** True when {@link #fill} would make an equal value. */
  #equals(part: FormPart, wanted: Json | undefined, chunk: Buffer, names: OwnNames): boolean {
    switch (part.type) {
      case 'constant':
        return part.value === wanted;
      case 'hole': {
        const at = this.#places[part.hole] ?? 0;
        if (part.isText) return typeof wanted === 'string' && this.#isText(chunk, at, wanted, names);
        return typeof wanted === 'number' && Number(this.#read(chunk, at, names)) === wanted;
      }
      case 'list':
        return Array.isArray(wanted) && this.#equalsList(part.items, wanted, chunk, names);
      case 'object':
        return wanted !== undefined && isJsonObject(wanted) && this.#equalsObject(part, wanted, chunk, names);
    }
  }

  #equalsList(items: readonly FormPart[], wanted: readonly Json[], chunk: Buffer, names: OwnNames): boolean {
    if (items.length !== wanted.length) return false;
    return items.every((item, index) => this.#equals(item, wanted[index], chunk, names));
  }

  #equalsObject(
    part: Extract<FormPart, { readonly type: 'object' }>,
    wanted: JsonObject,
    chunk: Buffer,
    names: OwnNames,
  ): boolean {
    if (Object.keys(wanted).length !== part.names.length) return false;
    for (let index = 0; index < part.names.length; index += 1) {
      const name = part.names[index];
      const value = part.values[index];
      if (typeof name !== 'string' || value === undefined || !Object.hasOwn(wanted, name)) return false;
      if (!this.#equals(value, wanted[name], chunk, names)) return false;
    }
    return true;
  }

  #isText(chunk: Buffer, at: number, wanted: string, names: OwnNames): boolean {
    const length = chunk[at] ?? 0;
    if (length >= TAGS.long) return this.#read(chunk, at, names) === wanted;
    if (length < wanted.length) return false;
    for (let index = 0; index < length; index += 1) {
      const byte = chunk[at + 1 + index] ?? 0;
      if (byte >= 0x80) return readPacked(chunk, at) === wanted;
      if (byte !== wanted.charCodeAt(index)) return false;
    }
    return length === wanted.length;
  }

  /** Does what `JSON.parse` would do with the event's text, without the text. */
  #fill(part: FormPart, chunk: Buffer, names: OwnNames): Json {
    switch (part.type) {
      case 'constant':
        return part.value;
      case 'hole': {
        const text = this.#read(chunk, this.#places[part.hole] ?? 0, names);
        return part.isText ? text : Number(text);
      }
      case 'list':
        return part.items.map((item) => this.#fill(item, chunk, names));
      case 'object': {
        const made: { [name: string]: Json } = {};
        for (let index = 0; index < part.names.length; index += 1) {
          const name = part.names[index] ?? '';
          const key = typeof name === 'string' ? name : this.#read(chunk, this.#places[name] ?? 0, names);
          const value = part.values[index];
          if (value !== undefined) made[key] = this.#fill(value, chunk, names);
        }
        return made;
      }
    }
  }

  #read(chunk: Buffer, at: number, names: OwnNames): string {
    const tag = chunk[at];
    if (tag === TAGS.step) return names.step;
    if (tag === TAGS.id) return names.id;
    return tag === TAGS.same ? this.#readShared(readOffset(chunk, at + 1)) : readPacked(chunk, at);
  }

  #readShared(offset: number): string {
    const slot = offset & (KNOWN - 1);
    if (this.#sharedAt[slot] !== offset) {
      this.#sharedAt[slot] = offset;
      this.#shared[slot] = readPacked(this.#store.chunkOf(offset), this.#store.indexOf(offset));
    }
    return this.#shared[slot] ?? '';
  }
}
