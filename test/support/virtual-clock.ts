import type { Clock } from '../../src/execute/ports.js';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that stands still while anything can go on, then jumps to the next sleeper. */
export class VirtualClock implements Clock {
  #nowMs = Date.parse('2026-03-01T09:00:00.000Z');
  #sleepers: Sleeper[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const sleeper: Sleeper = { atMs: this.#nowMs + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Lets time pass until the work is done. @throws when everything waits and nothing sleeps */
  async run<T>(work: Promise<T>): Promise<T> {
    const progress = { done: false };
    const settled = work.finally(() => {
      progress.done = true;
    });
    settled.catch(() => undefined);
    for (let idle = 0; !progress.done;) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (progress.done || this.#wakeNext()) idle = 0;
      else idle += 1;
      if (idle > 3) throw new Error('everything waits and nothing would wake it');
    }
    return settled;
  }

  #wakeNext(): boolean {
    const [first] = this.#sleepers.toSorted((a, b) => a.atMs - b.atMs);
    if (first === undefined) return false;
    this.#sleepers = this.#sleepers.filter((other) => other !== first);
    this.#nowMs = Math.max(this.#nowMs, first.atMs);
    first.wake();
    return true;
  }
}
