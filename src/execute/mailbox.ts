/** Messages from everything under way to the one loop that reads them, in order of arrival. */
export class Mailbox<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;

  /** Leaves a message; never blocks. */
  post(message: T): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** The next message; waits for one. Only one reader. */
  async next(): Promise<T> {
    while (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    return this.#waiting.shift() as T;
  }
}
