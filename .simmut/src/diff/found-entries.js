import { renamedEntry } from '../state/lock.js';
/** The entries of the lock under the ids that the plan gives them: those that it moves go by their new id. */
export class FoundEntries {
    #entries;
    /** New id → old id. */
    #moved = new Map();
    /** Old id → new id. */
    #moves = new Map();
    constructor(plan, { lock }) {
        this.#entries = lock?.entries ?? new Map();
        for (const [from, to] of Object.entries(plan.moved)) {
            if (!this.#entries.has(from) || this.#entries.has(to))
                continue;
            this.#moves.set(from, to);
            this.#moved.set(to, from);
        }
    }
    get size() {
        return this.#entries.size;
    }
    /** Every id, in the order of the lock. */
    *ids() {
        for (const id of this.#entries.keys())
            yield this.#moves.get(id) ?? id;
    }
    /** The id that the lock has for a resource which the plan moves. */
    movedFrom(id) {
        return this.#moved.get(id);
    }
    get(id) {
        const from = this.#moved.get(id);
        if (from === undefined)
            return this.#moves.has(id) ? undefined : this.#entries.get(id);
        const entry = this.#entries.get(from);
        return entry && renamedEntry(entry, id);
    }
}
