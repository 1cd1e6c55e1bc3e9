/**
 * The turns of the event loop without the system's loop, which asks the kernel at each: what is put off to the next turn runs
 * in the order in which it was put off, each when all that followed from the one before is done. As Node does it.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #original = globalThis.setImmediate;
  #isOver = false;

  /** From here on, whatever anybody puts off runs here. */
  constructor() {
    const putOff = (action: (...items: readonly unknown[]) => void, ...items: readonly unknown[]): void => {
      this.#waiting.push(() => action(...items));
    };
    globalThis.setImmediate = putOff as unknown as typeof setImmediate;
    this.#original(() => this.#turn());
  }

  /** What waits still, and everything later, goes to the system's loop. */
  end(): void {
    this.#isOver = true;
    globalThis.setImmediate = this.#original;
    for (const action of this.#waiting.splice(0)) this.#original(action);
  }

  /** A tick comes when no microtask is left. */
  #turn(): void {
    if (this.#isOver) return;
    this.#waiting.shift()?.();
    queueMicrotask(() => process.nextTick(() => this.#turn()));
  }
}
