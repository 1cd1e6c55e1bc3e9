/** Slots at first; a power of two. */
const FIRST_SIZE = 64;

/**
 * Numbers by byte keys that are kept elsewhere: a table without objects. Numbers count from 0, each is added once, and none
 * leaves.
 */
export class KeyTable {
  /** By slot: a number plus 1, or 0 where there is none; then its hash, beside it because memory is slow. */
  #slots = new Int32Array(2 * FIRST_SIZE);
  #mask = FIRST_SIZE - 1;
  #size = 0;

  /**
   * The number with a key, or -1.
   *
   * @param isKey whether a number has the key; asked only of those whose key has the hash
   */
  find(hash: number, isKey: (number: number) => boolean): number {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[2 * slot] ?? 0) - 1;
      if (number < 0) return -1;
      if (slots[2 * slot + 1] === hash && isKey(number)) return number;
    }
  }

  /** Puts a number in the place of another that has the same key and hash. */
  replace(hash: number, number: number, by: number): void {
    const slots = this.#slots;
    let slot = spread(hash) & this.#mask;
    while (slots[2 * slot] !== number + 1) slot = (slot + 1) & this.#mask;
    slots[2 * slot] = by + 1;
  }

  /** Adds a number whose key is not there yet. */
  add(hash: number, number: number): void {
    this.#size += 1;
    if (this.#size * 2 > this.#mask) this.#grow();
    this.#insert(hash, number + 1);
  }

  #insert(hash: number, stored: number): void {
    const slots = this.#slots;
    let slot = spread(hash) & this.#mask;
    while (slots[2 * slot] !== 0) slot = (slot + 1) & this.#mask;
    slots[2 * slot] = stored;
    slots[2 * slot + 1] = hash;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Int32Array(slots.length * 2);
    this.#mask = slots.length - 1;
    for (let at = 0; at < slots.length; at += 2) {
      const stored = slots[at] ?? 0;
      if (stored !== 0) this.#insert(slots[at + 1] ?? 0, stored);
    }
  }
}

/** The hash of no bytes (FNV-1a). */
export const NO_BYTES = 0x811c9dc5 | 0;

/** The hash of bytes and one more, from the hash of the bytes. */
export function hashOfNext(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

/** A hash of bytes; equal bytes have equal hashes. @param before the hash of what stands before them, which counts too */
export function hashOfBytes(bytes: Uint8Array, from: number, to: number, before: number = NO_BYTES): number {
  let hash = before;
  for (let index = from; index < to; index += 1) hash = hashOfNext(hash, bytes[index] ?? 0);
  return hash;
}

/** Brings the upper bits down, which a mask would lose. */
function spread(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 7;
}
