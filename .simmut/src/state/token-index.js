import { roomFor } from './columns.js';
import { KeyTable } from './key-table.js';
/** Bytes of a token's digest. */
const LENGTH = 32;
/** Attempts by the digest of their callback token, whose bytes are in a store. */
export class TokenIndex {
    #store;
    #table = new KeyTable();
    #places = new Uint32Array(64);
    constructor(store) {
        this.#store = store;
    }
    /** Adds an attempt by its number. @param place where the digest's bytes are; they are not those of another attempt */
    add(number, place) {
        this.#places = roomFor(this.#places, number);
        this.#places[number] = place;
        this.#table.add(hashOf(this.#store.chunkOf(place), this.#store.indexOf(place)), number);
    }
    /** The attempt with the digest at an offset, or -1. */
    find(bytes, from) {
        return this.#table.find(hashOf(bytes, from), (number) => {
            const place = this.#places[number] ?? 0;
            const chunk = this.#store.chunkOf(place);
            const at = this.#store.indexOf(place);
            for (let index = 0; index < LENGTH; index += 1)
                if (chunk[at + index] !== bytes[from + index])
                    return false;
            return true;
        });
    }
    /** The attempt with a digest in text, or -1. */
    findText(token) {
        const bytes = Buffer.from(token.slice(token.indexOf(':') + 1), 'hex');
        return bytes.length === LENGTH ? this.find(bytes, 0) : -1;
    }
}
/** A digest is a hash already. */
function hashOf(bytes, from) {
    const high = ((bytes[from] ?? 0) << 24) | ((bytes[from + 1] ?? 0) << 16);
    return high | ((bytes[from + 2] ?? 0) << 8) | (bytes[from + 3] ?? 0);
}
