/** The applies of a lineage. */
export class RunBook {
    #runs = [];
    /** All, oldest first. A live view. */
    get all() {
        return this.#runs;
    }
    begin(started) {
        this.#runs.push({ started });
    }
    /** Ends the newest run of that name. */
    end(ended) {
        const index = this.#runs.findLastIndex(({ started }) => started.run === ended.run);
        const run = this.#runs[index];
        if (run !== undefined)
            this.#runs[index] = { ...run, ended };
    }
}
