import type { ByteStore } from './byte-store.js';
import { roomFor } from './columns.js';
import { hashOfBytes, hashOfNext, KeyTable, NO_BYTES } from './key-table.js';

/**
 * Names, each once, with a number that counts from 0 in the order in which they came. Their bytes are in a store: what
 * stands between the quotes of their JSON, which no two names share.
 */
export class Names {
  readonly #store: ByteStore;
  readonly #table = new KeyTable();
  #places = new Uint32Array(64);
  #lengths = new Uint32Array(64);
  #size = 0;
  /** What is looked for. */
  #bytes: Uint8Array = new Uint8Array();
  #from = 0;
  #to = 0;
  #hash = NO_BYTES;
  #text = '';
  readonly #isText = (number: number): boolean => this.#equalsText(number);
  readonly #isWanted = (number: number): boolean => this.#equals(number);

  constructor(store: ByteStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a name, or -1. @param hash that of its bytes */
  find(bytes: Uint8Array, from: number, to: number, hash: number = hashOfBytes(bytes, from, to)): number {
    this.#seek(bytes, from, to);
    this.#hash = hash;
    return this.#table.find(hash, this.#isWanted);
  }

  /** True when a number is that of the name. */
  is(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    this.#seek(bytes, from, to);
    return number >= 0 && number < this.#size && this.#equals(number);
  }

  #seek(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  /** The number of a name in text, or -1. */
  findText(text: string): number {
    const hash = hashOfText(text);
    if (hash === undefined) {
      const bytes = bytesOf(text);
      return this.find(bytes, 0, bytes.length);
    }
    this.#text = text;
    this.#hash = hash;
    return this.#table.find(hash, this.#isText);
  }

  /**
   * Adds the name that {@link find} did not find just now, with no other question between.
   *
   * @param place where its bytes are in the store
   * @returns its number
   */
  addSought(place: number = this.#store.put(this.#bytes, this.#from, this.#to)): number {
    const number = this.#size;
    this.#places = roomFor(this.#places, number);
    this.#lengths = roomFor(this.#lengths, number);
    this.#places[number] = place;
    this.#lengths[number] = this.#to - this.#from;
    this.#size += 1;
    this.#table.add(this.#hash, number);
    return number;
  }

  /** The number of a name in text, which is added when it is new. */
  numberOf(text: string): number {
    const known = this.findText(text);
    if (known >= 0) return known;
    const bytes = bytesOf(text);
    this.#seek(bytes, 0, bytes.length);
    return this.addSought();
  }

  /** Where the bytes of a name are. */
  placeOf(number: number): number {
    return this.#places[number] ?? 0;
  }

  /** The name with a number. */
  text(number: number): string {
    const place = this.placeOf(number);
    const chunk = this.#store.chunkOf(place);
    const from = this.#store.indexOf(place);
    const text = chunk.toString('utf8', from, from + (this.#lengths[number] ?? 0));
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** For texts whose characters are their bytes. */
  #equalsText(number: number): boolean {
    const text = this.#text;
    if (this.#lengths[number] !== text.length) return false;
    const place = this.placeOf(number);
    const chunk = this.#store.chunkOf(place);
    const at = this.#store.indexOf(place);
    for (let index = 0; index < text.length; index += 1)
      if (chunk[at + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  #equals(number: number): boolean {
    const length = this.#to - this.#from;
    if (this.#lengths[number] !== length) return false;
    const place = this.placeOf(number);
    const chunk = this.#store.chunkOf(place);
    const at = this.#store.indexOf(place);
    const bytes = this.#bytes;
    const from = this.#from;
    // Names of one kind differ near their ends.
    for (let index = length - 1; index >= 0; index -= 1)
      if (chunk[at + index] !== bytes[from + index]) return false;
    return true;
  }
}

/** The hash of a text's bytes, without making them; undefined unless all are ASCII that JSON writes as it is. */
function hashOfText(text: string): number | undefined {
  let hash = NO_BYTES;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return undefined;
    hash = hashOfNext(hash, code);
  }
  return hash;
}

/** Characters that JSON escapes, and halves of others, which it may. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function bytesOf(text: string): Uint8Array {
  return Buffer.from(ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text);
}
