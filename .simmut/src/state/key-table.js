/** Slots at first; a power of two. */
const FIRST_SIZE = 64;
/**
 * Numbers by byte keys that are kept elsewhere: a table without objects. Numbers count from 0, each is added once, and none
 * leaves.
 */
export class KeyTable {
    /** A number plus 1 by slot; 0 where there is none. */
    #numbers = new Int32Array(FIRST_SIZE);
    #hashes = new Int32Array(FIRST_SIZE);
    #size = 0;
    /**
     * The number with a key, or -1.
     *
     * @param isKey whether a number has the key; asked only of those whose key has the hash
     */
    find(hash, isKey) {
        const mask = this.#numbers.length - 1;
        for (let slot = spread(hash) & mask;; slot = (slot + 1) & mask) {
            const number = (this.#numbers[slot] ?? 0) - 1;
            if (number < 0)
                return -1;
            if (this.#hashes[slot] === hash && isKey(number))
                return number;
        }
    }
    /** Adds a number whose key is not there yet. */
    add(hash, number) {
        this.#size += 1;
        if (this.#size * 2 > this.#numbers.length)
            this.#grow();
        this.#insert(hash, number + 1);
    }
    #insert(hash, stored) {
        const mask = this.#numbers.length - 1;
        let slot = spread(hash) & mask;
        while (this.#numbers[slot] !== 0)
            slot = (slot + 1) & mask;
        this.#numbers[slot] = stored;
        this.#hashes[slot] = hash;
    }
    #grow() {
        const numbers = this.#numbers;
        const hashes = this.#hashes;
        this.#numbers = new Int32Array(numbers.length * 2);
        this.#hashes = new Int32Array(numbers.length * 2);
        for (let slot = 0; slot < numbers.length; slot += 1) {
            const stored = numbers[slot] ?? 0;
            if (stored !== 0)
                this.#insert(hashes[slot] ?? 0, stored);
        }
    }
}
/** The hash of no bytes (FNV-1a). */
export const NO_BYTES = 0x811c9dc5 | 0;
/** The hash of bytes and one more, from the hash of the bytes. */
export function hashOfNext(hash, byte) {
    return Math.imul(hash ^ byte, 0x01000193);
}
/** A hash of bytes; equal bytes have equal hashes. */
export function hashOfBytes(bytes, from, to) {
    let hash = NO_BYTES;
    for (let index = from; index < to; index += 1)
        hash = hashOfNext(hash, bytes[index] ?? 0);
    return hash;
}
/** Brings the upper bits down, which a mask would lose. */
function spread(hash) {
    return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 7;
}
