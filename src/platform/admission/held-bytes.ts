import { Busy } from './refusals.js';

/** Bytes that each caller may hold whatever all others hold: a request of an ordinary size always gets through. */
const ALWAYS = 1_000_000;

/** One body on its way into memory. */
export interface Holding {
  /**
   * Counts bytes that have come.
   *
   * @throws Busy when there is no room for them: 429 where the caller itself has taken its share, 503 where all have
   */
  add(bytes: number): void;
  /** Gives everything back. Safe to call twice. */
  release(): void;
}

interface Held {
  bytes: number;
}

interface Caller {
  bytes: number;
  /** Oldest first. */
  readonly bodies: Set<Held>;
}

/**
 * Counts the bytes of bodies that are in memory, as they come: whoever announces much and sends nothing takes nothing.
 * Each caller has a share of all that there is.
 */
export class HeldBytes {
  readonly #most: number;
  readonly #share: number;
  readonly #callers = new Map<string, Caller>();
  #total = 0;

  /** @param most bytes of all callers together @param share of one caller */
  constructor(most: number, share: number) {
    this.#most = most;
    this.#share = Math.min(most, share);
  }

  /** Bytes that are held. */
  get total(): number {
    return this.#total;
  }

  /** Begins to count a body. */
  begin(name: string): Holding {
    const held: Held = { bytes: 0 };
    const caller = this.#callers.get(name) ?? { bytes: 0, bodies: new Set() };
    this.#callers.set(name, caller);
    caller.bodies.add(held);
    return {
      add: (bytes) => {
        this.#check(caller, held, bytes);
        held.bytes += bytes;
        caller.bytes += bytes;
        this.#total += bytes;
      },
      release: () => {
        if (!caller.bodies.delete(held)) return;
        caller.bytes -= held.bytes;
        this.#total -= held.bytes;
        if (caller.bodies.size === 0) this.#callers.delete(name);
      },
    };
  }

  #check(caller: Caller, held: Held, bytes: number): void {
    const own = caller.bytes + bytes;
    // The oldest goes on, whatever its size: its own limit bounds it, and one of several must come to an end.
    const [oldest] = caller.bodies;
    if (own > this.#share && held !== oldest)
      throw new Busy(429, 'The organisation uploads too much at a time.', 1);
    const others = this.#total - caller.bytes;
    if (own > ALWAYS && others > 0 && this.#total + bytes > this.#most)
      throw new Busy(503, 'Too much is being uploaded.', 1);
  }
}
