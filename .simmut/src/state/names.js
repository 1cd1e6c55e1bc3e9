import { roomFor } from './columns.js';
import { hashOfBytes, hashOfNext, KeyTable, NO_BYTES } from './key-table.js';
/**
 * Names, each once, with a number that counts from 0 in the order in which they came. Their bytes are in a store: what
 * stands between the quotes of their JSON, which no two names share.
 */
export class Names {
    #store;
    #table = new KeyTable();
    #places = new Uint32Array(64);
    #lengths = new Uint32Array(64);
    #size = 0;
    /** What is looked for. */
    #bytes = new Uint8Array();
    #from = 0;
    #to = 0;
    #text = '';
    #isText = (number) => this.#equalsText(number);
    #isWanted = (number) => this.#equals(number);
    constructor(store) {
        this.#store = store;
    }
    get size() {
        return this.#size;
    }
    /** The number of a name, or -1. */
    find(bytes, from, to) {
        this.#bytes = bytes;
        this.#from = from;
        this.#to = to;
        return this.#table.find(hashOfBytes(bytes, from, to), this.#isWanted);
    }
    /** The number of a name in text, or -1. */
    findText(text) {
        const hash = hashOfText(text);
        if (hash === undefined) {
            const bytes = bytesOf(text);
            return this.find(bytes, 0, bytes.length);
        }
        this.#text = text;
        return this.#table.find(hash, this.#isText);
    }
    /** Adds a name that is not there. @returns its number */
    add(bytes, from, to) {
        return this.addPlace(this.#store.put(bytes, from, to), to - from);
    }
    /** Adds a name whose bytes are in the store. @returns its number */
    addPlace(place, length) {
        const number = this.#size;
        this.#places = roomFor(this.#places, number);
        this.#lengths = roomFor(this.#lengths, number);
        this.#places[number] = place;
        this.#lengths[number] = length;
        this.#size += 1;
        const from = this.#store.indexOf(place);
        this.#table.add(hashOfBytes(this.#store.chunkOf(place), from, from + length), number);
        return number;
    }
    /** The number of a name in text, which is added when it is new. */
    numberOf(text) {
        const known = this.findText(text);
        if (known >= 0)
            return known;
        const bytes = bytesOf(text);
        return this.add(bytes, 0, bytes.length);
    }
    /** Where the bytes of a name are. */
    placeOf(number) {
        return this.#places[number] ?? 0;
    }
    /** The name with a number. */
    text(number) {
        const place = this.placeOf(number);
        const chunk = this.#store.chunkOf(place);
        const from = this.#store.indexOf(place);
        const text = chunk.toString('utf8', from, from + (this.#lengths[number] ?? 0));
        return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
    }
    /** For texts whose characters are their bytes. */
    #equalsText(number) {
        const text = this.#text;
        if (this.#lengths[number] !== text.length)
            return false;
        const place = this.placeOf(number);
        const chunk = this.#store.chunkOf(place);
        const at = this.#store.indexOf(place);
        for (let index = 0; index < text.length; index += 1)
            if (chunk[at + index] !== text.charCodeAt(index))
                return false;
        return true;
    }
    #equals(number) {
        const length = this.#to - this.#from;
        if (this.#lengths[number] !== length)
            return false;
        const place = this.placeOf(number);
        const chunk = this.#store.chunkOf(place);
        const at = this.#store.indexOf(place);
        for (let index = 0; index < length; index += 1)
            if (chunk[at + index] !== this.#bytes[this.#from + index])
                return false;
        return true;
    }
}
/** The hash of a text's bytes, without making them; undefined unless all are ASCII that JSON writes as it is. */
function hashOfText(text) {
    let hash = NO_BYTES;
    for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c)
            return undefined;
        hash = hashOfNext(hash, code);
    }
    return hash;
}
/** Characters that JSON escapes, and halves of others, which it may. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
function bytesOf(text) {
    return Buffer.from(ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text);
}
