import { setTimeout as pause } from 'node:timers/promises';

/** What a clock says of itself. */
export interface ClockState {
  /** Milliseconds since 1970, by this clock. */
  readonly now: number;
  /** By how many milliseconds it is ahead of the clock that it was made from. */
  readonly ahead: number;
  readonly frozen: boolean;
}

/** What is kept of a clock: where it stands still, or how far it is ahead. In milliseconds. */
export type ClockSetting = { readonly frozenAt: number } | { readonly ahead: number };

/** Something that is due at a time of the clock. */
export interface ClockTimer {
  /** Sets the time, in milliseconds since 1970, in place of the last; undefined: never. */
  set(due: number | undefined): void;
}

/** Longest wait that the system's timers know, in milliseconds. */
const LONGEST_WAIT = 2_147_483_647;

/** Times at which a clock that is advanced stops over; what is due after that many is done at the end. */
const MOST_STOPS = 1000;

/** How long a stop waits for what is due then, in real milliseconds: a receiver that does not answer holds no clock. */
const PATIENCE = 5000;

interface Timer {
  due: number | undefined;
  handle: NodeJS.Timeout | undefined;
  readonly run: () => Promise<void>;
}

/**
 * The platform's own time: real unless somebody freezes or advances it. It never goes back. Everything that the
 * platform dates or waits for in its own name goes by it: records, blocks, callbacks, rates.
 */
export class PlatformClock {
  readonly #base: () => number;
  readonly #timers = new Set<Timer>();
  #setting: ClockSetting;
  #advancing: Promise<void> = Promise.resolve();

  /** @param base milliseconds since 1970, of a clock that runs */
  constructor(base: () => number, setting: ClockSetting = { ahead: 0 }) {
    this.#base = base;
    this.#setting = setting;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number =>
    'frozenAt' in this.#setting ? this.#setting.frozenAt : this.#base() + this.#setting.ahead;

  /** How the clock stands, for those who look. */
  state(): ClockState {
    const now = this.now();
    return { now, ahead: now - this.#base(), frozen: 'frozenAt' in this.#setting };
  }

  /** How the clock stands, for the next start. */
  setting(): ClockSetting {
    return this.#setting;
  }

  /** Stops the clock where it is; timers wait. */
  freeze(): void {
    this.#setting = { frozenAt: this.now() };
    this.#armAll();
  }

  /** Lets the clock go on from where it is. */
  resume(): void {
    this.#setting = { ahead: this.now() - this.#base() };
    this.#armAll();
  }

  /**
   * Goes forward to a time, stopping over at every timer that is due on the way, in order, until it is done. Then the
   * clock goes on, or stays, as before.
   *
   * @param to milliseconds since 1970; a time that has been is now
   */
  async advance(to: number): Promise<void> {
    const done = this.#advancing.then(() => this.#advance(to));
    this.#advancing = done.catch(() => undefined);
    await done;
  }

  /** Makes a timer. @param run what is done when it is due; the timer is unset before */
  timer(run: () => Promise<void>): ClockTimer {
    const timer: Timer = { due: undefined, handle: undefined, run };
    this.#timers.add(timer);
    return {
      set: (due) => {
        timer.due = due;
        this.#arm(timer);
      },
    };
  }

  async #advance(to: number): Promise<void> {
    const wasFrozen = 'frozenAt' in this.#setting;
    this.#setting = { frozenAt: this.now() };
    for (let stops = 0; stops < MOST_STOPS && (await this.#stopOver(to)); stops += 1);
    this.#setting = { frozenAt: Math.max(this.now(), to) };
    await this.#stopOver(to);
    if (!wasFrozen) this.resume();
  }

  /** Does what is due next, at its time; false when nothing is due until then. */
  async #stopOver(to: number): Promise<boolean> {
    const due = [...this.#timers]
      .filter((timer) => timer.due !== undefined && timer.due <= to)
      .sort((a, b) => (a.due ?? 0) - (b.due ?? 0));
    const [next] = due;
    if (next?.due === undefined) return false;
    this.#setting = { frozenAt: Math.max(this.now(), next.due) };
    await Promise.race([fire(next).catch(() => undefined), pause(PATIENCE, undefined, { ref: false })]);
    return true;
  }

  #armAll(): void {
    for (const timer of this.#timers) this.#arm(timer);
  }

  #arm(timer: Timer): void {
    clearTimeout(timer.handle);
    timer.handle = undefined;
    if (timer.due === undefined || 'frozenAt' in this.#setting) return;
    const wait = Math.min(Math.max(0, timer.due - this.now()), LONGEST_WAIT);
    timer.handle = setTimeout(() => void fire(timer).catch(() => undefined), wait).unref();
  }
}

async function fire(timer: Timer): Promise<void> {
  clearTimeout(timer.handle);
  timer.due = undefined;
  await timer.run();
}
