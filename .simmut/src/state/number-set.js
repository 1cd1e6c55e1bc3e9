/** A few numbers out of many. */
export class NumberSet {
    #numbers = new Set();
    /** Puts a number in, or takes it out. */
    include(number, wanted) {
        if (wanted)
            this.#numbers.add(number);
        else
            this.#numbers.delete(number);
    }
    /** All, the smallest first. */
    ascending() {
        return [...this.#numbers].sort((a, b) => a - b);
    }
}
