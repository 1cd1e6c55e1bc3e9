/** Messages from everything under way to the one that reads them: in order of arrival, one at a time. */
export class Mailbox<T> {
  readonly #waiting: T[] = [];
  readonly #read: (message: T) => void;
  /** Nothing is read meanwhile: it is not open yet, or a message is being read. */
  #busy = true;

  /** @param read takes each message; what it leaves itself is read after what waits already; it must not throw */
  constructor(read: (message: T) => void) {
    this.#read = read;
  }

  /** Reads what waits, and from then on what comes. */
  open(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#read(next);
    this.#busy = false;
  }

  /** Leaves a message, which is read at once unless another is being read. */
  post(message: T): void {
    this.#waiting.push(message);
    if (this.#busy) return;
    this.#busy = true;
    this.open();
  }
}
