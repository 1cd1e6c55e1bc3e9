import { setTimeout as pause } from 'node:timers/promises';
import type { ClockTimer, PlatformClock } from '../clock.js';
import { courseOf, type Course } from '../faults/callback-faults.js';
import type { Faults } from '../faults/faults.js';
import type { Records } from '../state/records.js';
import type { CallbackItem, ResentCallback } from './callback-item.js';
import { CallbackRows, HELD, insertCallback, type DueCallback, type Noted } from './callback-rows.js';
import type { Delivery } from './delivery.js';
import { openPoster, type Poster } from './poster.js';
import { Resending } from './resending.js';
import { afterAttempt, onItsWayMs, type Redelivery } from './schedule.js';
import type { TargetRules } from './target.js';

/** How to deliver. */
export interface OutboxOptions {
  readonly redelivery: Redelivery;
  /** Where callbacks may go. */
  readonly targets: TargetRules;
  readonly clock: PlatformClock;
  /** What befalls callbacks on their way. */
  readonly faults: Faults;
  /** Callbacks on their way at a time; 16 by default, all of which one organisation may have. */
  readonly inFlight?: { readonly total: number; readonly perOrganisation: number };
}

const IN_FLIGHT = { total: 16, perOrganisation: 16 };

/** Pauses after the records could not be read or written, in milliseconds; the last repeats. */
const TRY_AGAIN = [1000, 2000, 5000, 10_000];

/**
 * Posts recorded callbacks until each is acknowledged with 200. Each attempt is recorded before it is posted, so that
 * records which take nothing, for instance because the disk is full, hold posts back and do not repeat them. What is
 * recorded survives a restart; a crash between the answer and its record posts a callback once more, which receivers
 * must expect anyway.
 */
export class Outbox implements Delivery {
  readonly #rows: CallbackRows;
  readonly #options: OutboxOptions;
  readonly #poster: Poster;
  readonly #timer: ClockTimer;
  readonly #flying = new Map<number, { readonly org: string; readonly done: Promise<void> }>();
  /** Callbacks that wait for their organisation's next one. */
  readonly #held = new Map<number, string>();
  readonly #inFlight: { readonly total: number; readonly perOrganisation: number };
  readonly #resending: Resending;
  #filling: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  /** What an earlier run left on its way is taken up. */
  #resumed = false;
  #failures = 0;
  #later: NodeJS.Timeout | undefined;
  /** Ends waiting for records that take nothing. */
  readonly #leaving = new AbortController();

  constructor(records: Records, options: OutboxOptions) {
    this.#rows = new CallbackRows(records);
    this.#options = options;
    this.#inFlight = options.inFlight ?? IN_FLIGHT;
    this.#poster = openPoster(options.targets);
    this.#resending = new Resending({
      rows: this.#rows,
      clock: options.clock,
      isFlying: (id) => this.#flying.has(id),
      wake: () => this.#wake(),
    });
    this.#timer = options.clock.timer(async () => {
      this.#wake();
      await this.#settled();
    });
  }

  /** See {@link Delivery}. */
  readonly enqueue: Delivery['enqueue'] = async (writer, callback) => {
    await insertCallback(writer, callback, this.#options.clock.now());
    writer.afterCommit(() => this.#wake());
  };

  /** See {@link Delivery}. */
  readonly fault: Delivery['fault'] = (url) => this.#poster.fault(url);

  /** Begins to deliver, what an earlier run left first. */
  start(): void {
    this.#stopped = false;
    this.#wake();
  }

  /** Ends after the attempts under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#leaving.abort();
    clearTimeout(this.#later);
    this.#timer.set(undefined);
    await this.#settled();
    await this.#poster.close();
  }

  /** The newest callbacks of an organisation, at most 100. */
  list(org: string): Promise<readonly CallbackItem[]> {
    return this.#rows.list(org);
  }

  /** Sends a callback again: see {@link Resending}. */
  resend(org: string, id: number): Promise<ResentCallback | undefined> {
    return this.#resending.resend(org, id);
  }

  /** Looks at once for what is due, for instance because the records take something again. */
  wake(): void {
    this.#failures = 0;
    this.#wake();
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    // While all places are taken nothing is looked for: the next attempt that ends looks again.
    if (this.#flying.size < this.#inFlight.total) this.#filling ??= this.#fill();
  }

  /** Waits until nothing is under way. */
  async #settled(): Promise<void> {
    while (this.#filling !== undefined || this.#flying.size > 0) {
      await this.#filling;
      await Promise.all([...this.#flying.values()].map(({ done }) => done));
    }
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#stopped && this.#flying.size < this.#inFlight.total) {
      this.#again = false;
      try {
        await this.#look(this.#options.clock.now());
        this.#failures = 0;
      } catch {
        // What reads and writes of the records may fail of passes, or ends the platform.
        clearTimeout(this.#later);
        this.#later = setTimeout(() => this.#wake(), this.#pauseAfterFailure()).unref();
      }
    }
    // At once after the loop's last question: a wake between the two would be lost.
    this.#filling = undefined;
  }

  #pauseAfterFailure(): number {
    this.#failures += 1;
    return TRY_AGAIN[Math.min(this.#failures, TRY_AGAIN.length) - 1] ?? 0;
  }

  /** Launches what is due at a time; what is due after that very time sets the timer, even if it has passed by now. */
  async #look(now: number): Promise<void> {
    if (!this.#resumed) await this.#rows.resume(now);
    this.#resumed = true;
    const { redelivery } = this.#options;
    const until = ({ round }: DueCallback): number => now + onItsWayMs(redelivery, round);
    while (this.#flying.size < this.#inFlight.total) {
      const chosen = await this.#choose(now);
      if (chosen.length === 0) break;
      const claimed = await this.#rows.claim(chosen, until);
      for (const row of claimed) this.#launch(row);
      // Whoever sent one of them again meanwhile has woken this.
      if (claimed.length < chosen.length) break;
    }
    const next = await this.#rows.nextDue(now);
    if (!this.#stopped) this.#timer.set(next);
  }

  /** The next due callbacks for which there is a place; none of an organisation that has all of its own. */
  async #choose(now: number): Promise<readonly DueCallback[]> {
    const { total, perOrganisation } = this.#inFlight;
    const places = new Map<string, number>();
    for (const { org } of this.#flying.values()) places.set(org, (places.get(org) ?? 0) + 1);
    const full = [...places].flatMap(([org, taken]) => (taken >= perOrganisation ? [org] : []));
    const chosen: DueCallback[] = [];
    for (const row of await this.#rows.due(now, full, 2 * total)) {
      const taken = places.get(row.org) ?? 0;
      if (this.#flying.has(row.id) || taken >= perOrganisation) continue;
      if (this.#flying.size + chosen.length >= total) break;
      places.set(row.org, taken + 1);
      chosen.push(row);
    }
    return chosen;
  }

  #launch(row: DueCallback): void {
    const done = this.#attempt(row)
      .catch(() => undefined)
      .finally(() => {
        this.#flying.delete(row.id);
        this.#resending.ended(row.id);
        this.#wake();
      });
    this.#flying.set(row.id, { org: row.org, done });
  }

  async #attempt(row: DueCallback): Promise<void> {
    const { redelivery, clock } = this.#options;
    const course = await this.#courseOf(row);
    if (course.type === 'lose') return this.#note(row, { state: 'given-up', result: 'lost by a fault' });
    if (course.type === 'hold') {
      await this.#note(row, { due: clock.now() + course.by, result: HELD });
      if (course.forNext) this.#held.set(row.id, row.org);
      return undefined;
    }
    let result = '';
    for (const { url, body } of course.posts) result = await this.#poster.post(url, body);
    const { state, pauseMs } = afterAttempt(redelivery, row.round + 1, result);
    await this.#note(row, { state, posted: true, due: clock.now() + pauseMs, result });
    await this.#release(row);
  }

  /** Faults befall each attempt once: one that they held back is then posted. */
  async #courseOf(row: DueCallback): Promise<Course> {
    if (row.last_result === HELD) return { type: 'post', posts: [row] };
    // What a fault lost was no attempt of ours, but what is sent in its place is no first one.
    const isSecond = row.attempts === 0 && row.last_result !== '';
    return courseOf(this.#options.faults, { ...row, attempt: row.attempts + (isSecond ? 2 : 1) });
  }

  #note(row: DueCallback, change: Partial<Noted> & Pick<Noted, 'result'>): Promise<void> {
    const at = this.#options.clock.now();
    const { result, state = 'pending', posted = false, due = at } = change;
    return this.#untilRecorded(() => this.#rows.note(row, { state, posted, at, due, result }));
  }

  /** Records what happened, however long that takes; meanwhile the callback keeps its place and is not posted. */
  async #untilRecorded(write: () => Promise<unknown>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        await write();
        return;
      } catch (cause) {
        if (this.#stopped) throw cause;
        const ms = TRY_AGAIN[Math.min(failures, TRY_AGAIN.length - 1)];
        await pause(ms, undefined, { signal: this.#leaving.signal });
      }
    }
  }

  /** Lets go what waited for a callback of this organisation. */
  async #release({ id, org }: DueCallback): Promise<void> {
    const waiting = [...this.#held].flatMap(([held, of]) => (of === org && held !== id ? [held] : []));
    this.#held.delete(id);
    for (const held of waiting) {
      this.#held.delete(held);
      await this.#rows.letGo(held, this.#options.clock.now());
    }
  }
}
