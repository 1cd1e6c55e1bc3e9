import type { Clock } from './ports.js';

/** Sleeps that can be ended together. Each has a signal of its own, because one with thousands of listeners is slow and warns. */
export class Timers {
  readonly #clock: Clock;
  readonly #running = new Set<AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sleeps, or until {@link end}. */
  async sleep(ms: number): Promise<void> {
    const timer = new AbortController();
    this.#running.add(timer);
    try {
      await this.#clock.sleep(ms, timer.signal);
    } finally {
      this.#running.delete(timer);
    }
  }

  /** Ends every sleep now. */
  end(): void {
    for (const timer of this.#running) timer.abort();
  }
}
