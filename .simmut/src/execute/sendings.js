/** How the sendings of each step went in this run. */
export class Sendings {
    #counts = new Map();
    #failures = new Map();
    #most;
    /** @param most sendings of one step in one run */
    constructor(most) {
        this.#most = most;
    }
    /** One more. */
    begin(planned) {
        this.#counts.set(planned, this.of(planned) + 1);
    }
    /** How many so far. */
    of(planned) {
        return this.#counts.get(planned) ?? 0;
    }
    /** True when the step may be sent once more. */
    leaveOne(planned) {
        return this.of(planned) < this.#most;
    }
    /** True when an answer says that nothing came of the last one, and another may be made. */
    mayRepeat(planned, { outcome, status }) {
        return (outcome === 'not_sent' || status === 429) && this.leaveOne(planned);
    }
    /** The last one had no effect, and no other is made in this run. */
    giveUp(planned, failure) {
        this.#failures.set(planned, failure);
    }
    /** How a step without effect counts for what comes after it. */
    failureOf(planned) {
        return this.#failures.get(planned) ?? 'failed';
    }
}
