import { attemptOf, idEndOf } from './plain-id.js';
/**
 * Folds the events that a plain step leaves behind (one resource; intended, answered, heard of, confirmed) from their text
 * as the journal holds it. They are nearly all of a long journal, and a hundred thousand steps of them as objects take ten
 * times the time and the memory. Whatever is not plain is left to the fold of objects, and ends the same either way.
 */
export class PlainFold {
    #packed;
    #attempts;
    #resources;
    #entries;
    constructor(packed, books) {
        this.#packed = packed;
        this.#attempts = books.attempts;
        this.#resources = books.resources;
        this.#entries = books.entries;
    }
    /** Folds an event in. @param bytes its text in UTF-8 */
    fold(bytes, start, end) {
        const form = this.#packed.fit(bytes, start, end);
        if (form === undefined)
            return 'unlike';
        const text = { form, bytes };
        return form.type === 'step-intended' ? this.#intend(text) : this.#advance(text);
    }
    /** Remembers how an event is written, for those like it. */
    learn(event, json) {
        this.#packed.learn(event, json);
    }
    #intend(text) {
        const { bytes, form } = text;
        const from = this.#packed.startOf(form.holes.step);
        const to = this.#packed.endOf(form.holes.step);
        const idEnd = idEndOf(bytes, from, to);
        const isPlain = idEnd >= 0 &&
            this.#holds(text, form.holes.resource, from, idEnd) &&
            this.#holds(text, form.holes.key, from, idEnd);
        const number = isPlain ? this.#attempts.begin(text) : -1;
        if (number < 0)
            return 'unknown';
        const known = this.#resources.findBytes(bytes, from, idEnd);
        const place = this.#attempts.placeOf(number);
        const resource = known < 0 ? this.#resources.addPlace(place, idEnd - from) : known;
        this.#resources.count(resource, attemptOf(bytes, idEnd + 1, to));
        this.#resources.setLatest(resource, number);
        return 'noted';
    }
    #advance(text) {
        const { bytes, form } = text;
        const number = this.#attempts.aboutWhich(text);
        if (number < 0)
            return 'unknown';
        if (form.type !== 'step-settled')
            return this.#attempts.advance(number, text) ? 'noted' : 'unknown';
        const from = this.#packed.startOf(form.holes.step);
        const to = this.#packed.endOf(form.holes.step);
        const idEnd = idEndOf(bytes, from, to);
        if (!this.#holds(text, form.holes.key, from, idEnd) || !this.#attempts.advance(number, text))
            return 'unknown';
        this.#entries.link(this.#resources.findBytes(bytes, from, idEnd), number);
        return 'settled';
    }
    /** True when a hole holds the bytes from `from` to `to`. */
    #holds({ bytes }, hole, from, to) {
        const at = this.#packed.startOf(hole);
        const end = this.#packed.endOf(hole);
        if (end - at !== to - from)
            return false;
        for (let index = at; index < end; index += 1)
            if (bytes[index] !== bytes[from + index - at])
                return false;
        return true;
    }
}
