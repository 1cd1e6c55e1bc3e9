/** Sleeps of equal length that begin within this share of their length end together: thousands of steps wait alike. */
const TOGETHER = 1 / 64;
/** Below this many milliseconds a sleep is its own: there is nothing to gain. */
const MIN_SHARED_MS = 64;
/** Why a sleep ended early; made once, because a reason made anew holds a stack. */
const ENDED = new Error('the sleeps were ended');
/**
 * Sleeps that can be ended together. A sleep may take a 64th longer than asked for. Each clock sleep has a signal of its
 * own, because one with thousands of listeners is slow and warns.
 */
export class Timers {
    #clock;
    #running = new Set();
    /** By length in milliseconds: the sleep that others may still join. */
    #shared = new Map();
    constructor(clock) {
        this.#clock = clock;
    }
    /** Sleeps, or until {@link end}. */
    sleep(ms) {
        if (ms < MIN_SHARED_MS)
            return this.#sleep(ms);
        const nowMs = this.#clock.nowMs();
        const slackMs = ms * TOGETHER;
        const known = this.#shared.get(ms);
        // A clock that was set back shares nothing until it has caught up.
        if (known !== undefined && nowMs >= known.beganMs && nowMs - known.beganMs <= slackMs)
            return known.over;
        const over = this.#sleep(ms + slackMs);
        this.#shared.set(ms, { beganMs: nowMs, over });
        return over;
    }
    /** Ends every sleep now. */
    end() {
        for (const timer of this.#running)
            timer.abort(ENDED);
    }
    async #sleep(ms) {
        const timer = new AbortController();
        this.#running.add(timer);
        try {
            await this.#clock.sleep(ms, timer.signal);
        }
        finally {
            this.#running.delete(timer);
        }
    }
}
