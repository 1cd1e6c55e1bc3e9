/** Messages from everything under way to the one loop that reads them, in order of arrival. */
export class Mailbox {
    #waiting = [];
    #wake;
    /** Leaves a message; never blocks. */
    post(message) {
        this.#waiting.push(message);
        this.#wake?.();
    }
    /** The next message; waits for one. Only one reader. */
    async next() {
        while (this.#waiting.length === 0) {
            await new Promise((resolve) => {
                this.#wake = resolve;
            });
            this.#wake = undefined;
        }
        return this.#waiting.shift();
    }
}
