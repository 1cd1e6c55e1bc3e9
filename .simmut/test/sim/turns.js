/**
 * The turns of the event loop without the system's loop, which asks the kernel at each: what is put off to the next turn runs
 * in the order in which it was put off, each when all that followed from the one before is done. As Node does it.
 */
export class Turns {
    static #current;
    #waiting = [];
    #original = globalThis.setImmediate;
    #isOver = false;
    /**
     * From here on, whatever anybody puts off runs here.
     *
     * @throws when somebody's turns run already in this thread: each would take the other's for the system's loop
     */
    constructor() {
        if (Turns.#current !== undefined)
            throw new Error('a thread simulates one world at a time');
        Turns.#current = this;
        const putOff = (action, ...items) => {
            this.#waiting.push(() => action(...items));
        };
        globalThis.setImmediate = putOff;
        this.#original(() => this.#turn());
    }
    /** What waits still, and everything later, goes to the system's loop. */
    end() {
        if (this.#isOver)
            return;
        this.#isOver = true;
        Turns.#current = undefined;
        globalThis.setImmediate = this.#original;
        for (const action of this.#waiting.splice(0))
            this.#original(action);
    }
    /** A tick comes when no microtask is left. */
    #turn() {
        if (this.#isOver)
            return;
        this.#waiting.shift()?.();
        queueMicrotask(() => process.nextTick(() => this.#turn()));
    }
}
