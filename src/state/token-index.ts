import type { Digest } from '../model/canonical.js';
import type { ByteStore } from './byte-store.js';
import { roomFor } from './columns.js';
import { KeyTable } from './key-table.js';

/** Bytes of a token's digest. */
const LENGTH = 32;

/**
 * Attempts by the digest of their callback token, whose bytes are in a store. They are put in order when somebody asks: a
 * journal that is read has very many of which nobody hears any more. Of two with one token it is the later one.
 */
export class TokenIndex {
  readonly #store: ByteStore;
  readonly #table = new KeyTable();
  /** By number of the attempt; 0 for none. */
  #places = new Uint32Array(64);
  /** The number after the last that was added. */
  #end = 0;
  /** Those before this one are in the table. */
  #ordered = 0;

  constructor(store: ByteStore) {
    this.#store = store;
  }

  /** Adds an attempt by its number, which is above those of all before. @param place where the digest's bytes are */
  add(number: number, place: number): void {
    this.#places = roomFor(this.#places, number);
    this.#places[number] = place;
    this.#end = number + 1;
  }

  /** The attempt with a digest in text, or -1. */
  findText(token: string): number {
    const bytes = Buffer.from(token.slice(token.indexOf(':') + 1), 'hex');
    if (bytes.length !== LENGTH) return -1;
    for (; this.#ordered < this.#end; this.#ordered += 1) {
      const place = this.#places[this.#ordered] ?? 0;
      if (place !== 0) this.#order(this.#store.chunkOf(place), this.#store.indexOf(place));
    }
    return this.#find(bytes, 0);
  }

  #order(bytes: Uint8Array, from: number): void {
    const hash = tokenHash(bytes, from);
    const earlier = this.#find(bytes, from);
    if (earlier < 0) this.#table.add(hash, this.#ordered);
    else this.#table.replace(hash, earlier, this.#ordered);
  }

  #find(bytes: Uint8Array, from: number): number {
    return this.#table.find(tokenHash(bytes, from), (number) => {
      const place = this.#places[number] ?? 0;
      const chunk = this.#store.chunkOf(place);
      const at = this.#store.indexOf(place);
      for (let index = 0; index < LENGTH; index += 1)
        if (chunk[at + index] !== bytes[from + index]) return false;
      return true;
    });
  }
}

/** What {@link tokenHash} is for the bytes of a digest in text. */
export function tokenHashOf(digest: Digest): number {
  const from = digest.indexOf(':') + 1;
  return Number.parseInt(digest.slice(from, from + 8), 16) | 0;
}

/** A hash of a token's digest: a digest is one already. */
export function tokenHash(bytes: Uint8Array, from: number): number {
  const high = ((bytes[from] ?? 0) << 24) | ((bytes[from + 1] ?? 0) << 16);
  return high | ((bytes[from + 2] ?? 0) << 8) | (bytes[from + 3] ?? 0);
}
