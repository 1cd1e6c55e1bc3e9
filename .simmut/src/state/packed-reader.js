import { invariant } from '../model/error.js';
import { MAX_HOLES } from './event-form.js';
import { packedLength, readOffset, readPacked, TAGS } from './packed-value.js';
/** Bytes before the values of a packed event: its form, and the event before of the same attempt. */
export const HEADER_BYTES = 6;
/** Texts that are kept once and stood in many events lately; a power of two. */
const KNOWN = 64;
/** Reads packed events, whole or in part, by their offset. */
export class PackedReader {
    #store;
    #forms;
    /** Where the values of the event that is being read are in its chunk. */
    #places = new Int32Array(MAX_HOLES);
    /** Values that many events share, so that they are one text in memory, too. */
    #sharedAt = new Uint32Array(KNOWN);
    #shared = Array.from({ length: KNOWN }, () => '');
    constructor(store, forms) {
        this.#store = store;
        this.#forms = forms;
    }
    /** The event before it of the same attempt; 0 for none. */
    previousOf(offset) {
        return readOffset(this.#store.chunkOf(offset), this.#store.indexOf(offset) + 2);
    }
    /** The form of a kept event. */
    formOf(offset) {
        const chunk = this.#store.chunkOf(offset);
        const at = this.#store.indexOf(offset);
        const form = this.#forms[((chunk[at] ?? 0) << 8) | (chunk[at + 1] ?? 0)];
        invariant(form !== undefined, 'a packed event has a form');
        return form;
    }
    /** The event as it was. */
    event(offset, names) {
        return this.#make(offset, this.formOf(offset).whole, names);
    }
    /** The value of the one member of its `inputs` or `outputs`. */
    value(offset, names) {
        const { value } = this.formOf(offset);
        invariant(value !== undefined, 'only a form with such a member is asked');
        return this.#make(offset, value, names);
    }
    /** The text in one hole. */
    text(offset, hole, names) {
        return this.#read(this.#store.chunkOf(offset), this.#holeAt(offset, hole), names);
    }
    /** The packed bytes in one hole: their place in the store. */
    placeOf(offset, hole) {
        return offset - this.#store.indexOf(offset) + this.#holeAt(offset, hole);
    }
    #holeAt(offset, hole) {
        const chunk = this.#store.chunkOf(offset);
        let at = this.#store.indexOf(offset) + HEADER_BYTES;
        for (let index = 0; index < hole; index += 1)
            at += packedLength(chunk, at);
        return at;
    }
    #make(offset, part, names) {
        const chunk = this.#store.chunkOf(offset);
        const count = this.formOf(offset).texts.length;
        let at = this.#store.indexOf(offset) + HEADER_BYTES;
        for (let hole = 0; hole < count; hole += 1) {
            this.#places[hole] = at;
            at += packedLength(chunk, at);
        }
        return this.#fill(part, chunk, names);
    }
    /** Does what `JSON.parse` would do with the event's text, without the text. */
    #fill(part, chunk, names) {
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
                const made = {};
                for (let index = 0; index < part.names.length; index += 1) {
                    const name = part.names[index] ?? '';
                    const key = typeof name === 'string' ? name : this.#read(chunk, this.#places[name] ?? 0, names);
                    const value = part.values[index];
                    if (value !== undefined)
                        made[key] = this.#fill(value, chunk, names);
                }
                return made;
            }
        }
    }
    #read(chunk, at, names) {
        const tag = chunk[at];
        if (tag === TAGS.step)
            return names.step;
        if (tag === TAGS.id)
            return names.id;
        return tag === TAGS.same ? this.#readShared(readOffset(chunk, at + 1)) : readPacked(chunk, at);
    }
    #readShared(offset) {
        const slot = offset & (KNOWN - 1);
        if (this.#sharedAt[slot] !== offset) {
            this.#sharedAt[slot] = offset;
            this.#shared[slot] = readPacked(this.#store.chunkOf(offset), this.#store.indexOf(offset));
        }
        return this.#shared[slot] ?? '';
    }
}
