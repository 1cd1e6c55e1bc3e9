import { digestOf } from '../model/canonical.js';
import { kindOf } from '../model/id.js';
import { fillPlaceholders } from '../model/value.js';
/**
 * An entry of which most parts are read when they are asked for: many are only known to be there, or compared by one of
 * them. It has no members of its own to spread; `renamedEntry` copies it.
 */
export class PackedEntry {
    id;
    #attempts;
    #attempt;
    #inputs;
    #outputs;
    /** @param attempt the number of the packed attempt that made it */
    constructor(id, attempts, attempt) {
        this.id = id;
        this.#attempts = attempts;
        this.#attempt = attempt;
    }
    get kind() {
        return kindOf(this.id);
    }
    get inputs() {
        // Its address came with the outcome.
        return (this.#inputs ??= fillPlaceholders(this.#attempts.packed.inputsOf(this.#attempt), (other) => other === this.id ? this.outputs.address : undefined));
    }
    get digest() {
        return digestOf(this.inputs);
    }
    get outputs() {
        return (this.#outputs ??= this.#attempts.packed.outputsOf(this.#attempt));
    }
    get grade() {
        return this.#attempts.packed.gradeOf(this.#attempt);
    }
    get at() {
        return this.#attempts.packed.settledAt(this.#attempt);
    }
    get step() {
        return this.#attempts.stepOf(this.#attempt);
    }
}
