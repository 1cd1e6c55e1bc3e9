import { roomFor } from './columns.js';
/** What is noted of an attempt beside its events. `live`: it is kept as an object. */
export const NOTES = { live: 1, fresh: 2, answered: 4, confirmed: 8 };
/** Notes about attempts, and where their packed events are, by number of the attempt. */
export class StepNotes {
    #notes = new Uint8Array(64);
    #last = new Uint32Array(64);
    #settled = new Uint32Array(64);
    has(number, note) {
        return ((this.#notes[number] ?? 0) & note) !== 0;
    }
    add(number, note) {
        this.#grow(number);
        this.#notes[number] = (this.#notes[number] ?? 0) | note;
    }
    /** Takes a note off all attempts. */
    removeAll(note) {
        for (let number = 0; number < this.#notes.length; number += 1)
            this.#notes[number] = (this.#notes[number] ?? 0) & ~note;
    }
    /** The offset of the newest packed event; 0 for none. */
    lastOf(number) {
        return this.#last[number] ?? 0;
    }
    setLast(number, offset) {
        this.#grow(number);
        this.#last[number] = offset;
    }
    /** The offset of the packed event that settled it; 0 for none. */
    settledOf(number) {
        return this.#settled[number] ?? 0;
    }
    setSettled(number, offset) {
        this.#grow(number);
        this.#settled[number] = offset;
    }
    #grow(number) {
        this.#notes = roomFor(this.#notes, number);
        this.#last = roomFor(this.#last, number);
        this.#settled = roomFor(this.#settled, number);
    }
}
