import type { Clock } from '../../src/execute/ports.js';
import { Turns } from './turns.js';

interface Event {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** What is as far ahead waits until the loop was quiet for some turns. */
const FAR_MS = 60_000;
const QUIET_TURNS = 4;

/** When simulated time begins. */
const BEGIN_MS = Date.parse('2026-03-01T09:00:00.000Z');

/** Virtual time: it stands still while anything can go on, then jumps to the next event. */
export class Time {
  nowMs = BEGIN_MS;
  /** How far the machine's clock is ahead. */
  aheadMs = 0;
  /** How often it was set ahead. */
  aheads = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  /** What the machine's clock shows. */
  get clockMs(): number {
    return this.nowMs + this.aheadMs;
  }

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.nowMs - BEGIN_MS;
  }

  /** Lets something happen after a while; returns what cancels it. */
  after(ms: number, run: () => void): () => void {
    this.#order += 1;
    const event: Event = { atMs: this.nowMs + Math.max(0, ms), order: this.#order, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Resolves after a while. */
  pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Lets time pass until the work is done. @throws when everything waits and nothing would ever happen */
  run<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let idle = 0;
      let quiet = 0;
      let done = false;
      const turns = new Turns();
      const end = (): void => {
        done = true;
        turns.end();
      };
      void settle(work, resolve, reject).finally(end);
      const turn = (): void => {
        if (done) return;
        // What takes turns of the loop and no time is over before long.
        const isFar = (this.#heap[0]?.atMs ?? 0) - this.nowMs > FAR_MS;
        quiet = isFar ? quiet + 1 : 0;
        if (isFar && quiet <= QUIET_TURNS) return void setImmediate(turn);
        const event = this.#pop();
        idle = event === undefined ? idle + 1 : 0;
        if (idle > 3) {
          end();
          return reject(new Error('everything waits and nothing would wake it'));
        }
        if (event?.run !== undefined) {
          this.nowMs = Math.max(this.nowMs, event.atMs);
          event.run();
        }
        setImmediate(turn);
      };
      setImmediate(turn);
    });
  }

  /** The machine's clock, which stops with its process. */
  clockOf(isAlive: () => boolean): Clock {
    return {
      nowMs: () => this.clockMs,
      sleep: (ms, signal) =>
        signal?.aborted === true
          ? Promise.resolve()
          : new Promise((resolve) => {
              const wake = (): void => {
                signal?.removeEventListener('abort', stop);
                if (isAlive()) resolve();
              };
              const cancel = this.after(ms, wake);
              const stop = (): void => {
                cancel();
                resolve();
              };
              signal?.addEventListener('abort', stop, { once: true });
            }),
    };
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** The next event that was not cancelled. */
  #pop(): Event | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined) return undefined;
      this.#sink(this.#heap.pop()!);
      if (top.run !== undefined) return top;
    }
  }

  #sink(last: Event): void {
    const heap = this.#heap;
    if (heap.length === 0 || last === heap[0]) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

async function settle<T>(
  work: Promise<T>,
  resolve: (value: T) => void,
  reject: (why: Error) => void,
): Promise<void> {
  try {
    resolve(await work);
  } catch (thrown) {
    reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
