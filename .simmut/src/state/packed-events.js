import { ByteStore, MAX_PIECE } from './byte-store.js';
import { fitsForm, MAX_HOLES, viewOf } from './event-form.js';
import { formOf } from './form-draft.js';
import { HEADER_BYTES, PackedReader } from './packed-reader.js';
import { MAX_TEXT, TAGS, writeOffset, writePacked } from './packed-value.js';
/** Forms that are kept: more would cost every record more than they save. */
const MAX_FORMS = 32;
/** Longest value that is looked for in the event before it; after so many failures in a hole it is not any more. */
const MAX_REPEATED = 128;
const MAX_MISSES = 16;
/** Events as values of their forms, in bytes. */
export class PackedEvents {
    reader;
    /** Start and end of each hole of the text that fitted last. */
    #holes = new Int32Array(2 * MAX_HOLES);
    /** The bytes of the last text. */
    #seen = { bytes: new Uint8Array(), view: new DataView(new ArrayBuffer()) };
    #store;
    #forms = [];
    #repeats = [];
    /** The form that came after each last time. */
    #next = [];
    #last = 0;
    constructor(store) {
        this.#store = store;
        this.reader = new PackedReader(store, this.#forms);
    }
    /** The form that a text fits; the events of a journal follow one another as those before them did. */
    fit(bytes, start, end) {
        if (this.#seen.bytes !== bytes)
            this.#seen = { bytes, view: viewOf(bytes) };
        const text = { start, end };
        const likely = this.#next[this.#last] ?? 0;
        let found = this.#fits(likely, text) ? likely : -1;
        for (let index = 0; found < 0 && index < this.#forms.length; index += 1)
            if (index !== likely && this.#fits(index, text))
                found = index;
        if (found < 0)
            return undefined;
        this.#next[this.#last] = found;
        this.#last = found;
        return this.#forms[found];
    }
    /** Learns the form of an event that fitted none. */
    learn(event, json) {
        if (this.#forms.length >= MAX_FORMS)
            return;
        const form = formOf(event, json);
        if (form === undefined)
            return;
        this.#forms.push(form);
        this.#repeats.push(Array.from(form.texts, () => ({
            bytes: new Uint8Array(MAX_REPEATED),
            length: 0,
            offset: 0,
            misses: 0,
        })));
    }
    /**
     * Keeps the event whose text fitted last.
     *
     * @param previous the attempt's event before it; 0 for none
     * @returns where it is, or 0 when it is too long to be kept
     */
    put({ form, bytes }, previous) {
        const count = form.texts.length;
        let size = HEADER_BYTES;
        for (let hole = 0; hole < count; hole += 1) {
            const length = this.endOf(hole) - this.startOf(hole);
            if (length > MAX_TEXT)
                return 0;
            size += length + 5;
        }
        if (size > MAX_PIECE)
            return 0;
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
    startOf(hole) {
        return this.#holes[2 * hole] ?? 0;
    }
    /** Where it ends. */
    endOf(hole) {
        return this.#holes[2 * hole + 1] ?? 0;
    }
    #fits(index, text) {
        const form = this.#forms[index];
        return form !== undefined && fitsForm(form, this.#seen, text, this.#holes);
    }
    #putHole({ form: { holes }, bytes }, index, { hole, chunk, at }) {
        if (hole === holes.step)
            return tagged(chunk, at, TAGS.step);
        if (hole === holes.resource || hole === holes.key)
            return tagged(chunk, at, TAGS.id);
        const from = this.startOf(hole);
        const to = this.endOf(hole);
        const repeats = this.#repeats[index]?.[hole];
        // The token is found by its bytes.
        const looks = hole !== holes.token && repeats !== undefined && isWorthwhile(repeats, to - from);
        if (looks && isRepeated(repeats, bytes, from, to))
            return writeOffset(chunk, tagged(chunk, at, TAGS.same), repeats.offset);
        if (looks)
            remember(repeats, bytes, from, to);
        if (looks)
            repeats.offset = this.#store.end - this.#store.indexOf(this.#store.end) + at;
        return writePacked(chunk, at, { bytes, from, to });
    }
}
function tagged(chunk, at, tag) {
    chunk[at] = tag;
    return at + 1;
}
/** Short texts are kept as they are; what never repeats is not compared for ever. */
function isWorthwhile({ misses }, length) {
    return length > 4 && length <= MAX_REPEATED && misses < MAX_MISSES;
}
function isRepeated(repeats, bytes, from, to) {
    if (repeats.offset === 0 || repeats.length !== to - from)
        return false;
    for (let index = from; index < to; index += 1)
        if (bytes[index] !== repeats.bytes[index - from])
            return false;
    repeats.misses = 0;
    return true;
}
function remember(repeats, bytes, from, to) {
    for (let index = from; index < to; index += 1)
        repeats.bytes[index - from] = bytes[index] ?? 0;
    repeats.length = to - from;
    repeats.misses += 1;
}
