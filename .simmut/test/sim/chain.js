const STALL_MS = 30_000;
const LOOK_MS = 50;
/** What the service has recorded and the chain has not decided yet; it decides late while the chain makes no blocks. */
export class Chain {
    #time;
    #onPlatform;
    #pending = new Set();
    #stalledUntilMs = 0;
    /** @param onPlatform lets something happen on the platform after a while */
    constructor(time, onPlatform) {
        this.#time = time;
        this.#onPlatform = onPlatform;
    }
    /** No block is made for a while. */
    stall() {
        this.#stalledUntilMs = this.#time.nowMs + STALL_MS;
    }
    /** Decides a transaction that was recorded now, after a while. */
    decide(ms, run) {
        const transaction = {};
        this.#pending.add(transaction);
        const tryNow = () => {
            const waitMs = this.#stalledUntilMs - this.#time.nowMs;
            if (waitMs > 0)
                return this.#onPlatform(waitMs, tryNow);
            this.#pending.delete(transaction);
            run();
        };
        this.#onPlatform(ms, tryNow);
    }
    /** Waits until all that is recorded now is decided. @returns false when that takes longer than `patienceMs` */
    async settle(patienceMs) {
        const recorded = [...this.#pending];
        const isOver = () => recorded.every((transaction) => !this.#pending.has(transaction));
        for (let waitedMs = 0; waitedMs < patienceMs && !isOver(); waitedMs += LOOK_MS)
            await this.#time.pass(LOOK_MS);
        return isOver();
    }
}
