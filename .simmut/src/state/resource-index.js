import { roomFor } from './columns.js';
import { Names } from './names.js';
/** What is noted of each resource: its newest attempt, and the highest number that an attempt of it had. */
export class ResourceIndex {
    #names;
    /** By number of the resource: the number of its newest attempt plus 1. */
    #latest = new Uint32Array(64);
    #attempts = new Float64Array(64);
    constructor(store) {
        this.#names = new Names(store);
    }
    /** The number of a resource, or -1. */
    find(id) {
        return this.#names.findText(id);
    }
    /** The number of the resource with these bytes, or -1. */
    findBytes(bytes, from, to) {
        return this.#names.find(bytes, from, to);
    }
    /** The number of a resource, which is noted when it is new. */
    numberOf(id) {
        const number = this.#names.numberOf(id);
        this.#grow(number);
        return number;
    }
    /** Notes a new resource by the place of its bytes in the store. @returns its number */
    addPlace(place, length) {
        const number = this.#names.addPlace(place, length);
        this.#grow(number);
        return number;
    }
    idOf(number) {
        return this.#names.text(number);
    }
    /** The number of the newest attempt, or -1. */
    latestOf(number) {
        return (this.#latest[number] ?? 0) - 1;
    }
    /** @param attempt -1 for none */
    setLatest(number, attempt) {
        this.#latest[number] = attempt + 1;
    }
    /** The highest number that an attempt of the resource had; 0 for none. */
    attemptsOf(number) {
        return this.#attempts[number] ?? 0;
    }
    /** Notes the number of an attempt. */
    count(number, attempt) {
        if (attempt > this.attemptsOf(number))
            this.#attempts[number] = attempt;
    }
    #grow(number) {
        this.#latest = roomFor(this.#latest, number);
        this.#attempts = roomFor(this.#attempts, number);
    }
}
