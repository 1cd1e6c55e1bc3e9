/** Messages from everything under way to the one that reads them: in order of arrival, one at a time. */
export class Mailbox<T> {
  readonly #waiting: T[] = [];
  readonly #read: (message: T) => void;
  #reading = false;

  /** @param read takes each message; what it leaves itself is read after what waits already; it must not throw */
  constructor(read: (message: T) => void) {
    this.#read = read;
  }

  /** Leaves a message, which is read at once unless another is being read. */
  post(message: T): void {
    this.#waiting.push(message);
    if (this.#reading) return;
    this.#reading = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#read(next);
    this.#reading = false;
  }
}
