import type { ClockTimer, PlatformClock } from '../clock.js';
import { courseOf, type Course } from '../faults/callback-faults.js';
import type { Faults } from '../faults/faults.js';
import type { Records, TableGroup } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import { callbackItem, CALLBACK_COLUMNS, type CallbackItem, type CallbackRow } from './callback-item.js';
import type { Delivery } from './delivery.js';
import { openPoster, type Poster } from './poster.js';
import type { TargetRules } from './target.js';

/** Whether a callback goes out until it is acknowledged, a single time, or four times with growing pauses. */
export type Redelivery = 'until-acknowledged' | 'once' | 'four-times';

/**
 * Pauses before each attempt in milliseconds; after the last one a callback is given up, unless it goes out until it is
 * acknowledged: then the last pause repeats. Four times is what the public service names.
 */
const SCHEDULES: Readonly<Record<Redelivery, readonly number[]>> = {
  'until-acknowledged': [0, 1000, 5000, 30_000, 60_000, 300_000, 600_000, 900_000],
  'four-times': [0, 300_000, 600_000, 900_000],
  once: [0],
};

/** Table of the outbox. `due` is in milliseconds since 1970; `state` is `pending`, `delivered` or `given-up`. */
export const CALLBACK_TABLES: TableGroup = {
  name: 'callbacks',
  statements: [
    `CREATE TABLE IF NOT EXISTS callbacks (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL,
      subject TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0,
      due INTEGER NOT NULL, last_result TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS callbacks_due ON callbacks (due) WHERE state = 'pending'`,
    'CREATE INDEX IF NOT EXISTS callbacks_by_org ON callbacks (org, id)',
  ],
};

/** How to deliver. */
export interface OutboxOptions {
  readonly redelivery: Redelivery;
  /** Where callbacks may go. */
  readonly targets: TargetRules;
  readonly clock: PlatformClock;
  /** What befalls callbacks on their way. */
  readonly faults: Faults;
}

interface DueRow {
  readonly id: number;
  readonly org: string;
  readonly url: string;
  readonly body: string;
  readonly subject: string;
  readonly attempts: number;
  readonly last_result: string;
}

const IN_FLIGHT = 16;

/** Pause after the records could not be read, in milliseconds. */
const LOOK_AGAIN = 1000;

/** Result of an attempt that a fault put off. */
const HELD = 'held back by a fault';
const LIST_LIMIT = 100;

/**
 * Posts recorded callbacks until each is acknowledged with 200. What is recorded survives a restart; a crash
 * between the answer and its record posts a callback once more, which receivers must expect anyway.
 */
export class Outbox implements Delivery {
  readonly #records: Records;
  readonly #options: OutboxOptions;
  readonly #poster: Poster;
  readonly #timer: ClockTimer;
  readonly #flying = new Map<number, Promise<void>>();
  /** Callbacks that wait for their organisation's next one. */
  readonly #held = new Map<number, string>();
  #filling: Promise<void> | undefined;
  #again = false;
  #stopped = true;

  constructor(records: Records, options: OutboxOptions) {
    this.#records = records;
    this.#options = options;
    this.#poster = openPoster(options.targets);
    this.#timer = options.clock.timer(async () => {
      this.#wake();
      await this.#settled();
    });
  }

  /** See {@link Delivery}. */
  readonly enqueue: Delivery['enqueue'] = async (writer, callback) => {
    const now = this.#options.clock.now();
    await writer.run(
      'INSERT INTO callbacks (org, url, body, subject, due, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      [callback.org, callback.url, JSON.stringify(callback.body), callback.subject, now, timestampOf(now)],
    );
    writer.afterCommit(() => {
      this.#wake();
    });
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
    this.#timer.set(undefined);
    await this.#settled();
    await this.#poster.close();
  }

  /** The newest callbacks of an organisation, at most 100. */
  async list(org: string): Promise<readonly CallbackItem[]> {
    const rows = await this.#records.all<CallbackRow>(
      `SELECT ${CALLBACK_COLUMNS} FROM callbacks WHERE org = ? ORDER BY id DESC LIMIT ${String(LIST_LIMIT)}`,
      [org],
    );
    return rows.map(callbackItem);
  }

  /** Sends a callback again, whatever its state. False: the organisation has no such callback. */
  async resend(org: string, id: number): Promise<boolean> {
    const sql = `UPDATE callbacks SET state = 'pending', attempts = 0, due = ? WHERE org = ? AND id = ?`;
    const args = [this.#options.clock.now(), org, id];
    const changed = await this.#records.transact((writer) => writer.run(sql, args));
    if (changed > 0) this.#wake();
    return changed > 0;
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    // While all places are taken nothing is looked for: the next attempt that ends looks again.
    if (this.#flying.size < IN_FLIGHT) this.#filling ??= this.#fill();
  }

  /** Waits until nothing is under way. */
  async #settled(): Promise<void> {
    while (this.#filling !== undefined || this.#flying.size > 0) {
      await this.#filling;
      await Promise.all(this.#flying.values());
    }
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#stopped && this.#flying.size < IN_FLIGHT) {
      this.#again = false;
      const now = this.#options.clock.now();
      // What reads of the records may fail of passes, or ends the platform.
      await this.#look(now).catch(() => {
        this.#timer.set(now + LOOK_AGAIN);
      });
    }
    // At once after the loop's last question: a wake between the two would be lost.
    this.#filling = undefined;
  }

  /** Launches what is due at a time; what is due after that very time sets the timer, even if it has passed by now. */
  async #look(now: number): Promise<void> {
    const due = await this.#records.all<DueRow>(
      `SELECT id, org, url, body, subject, attempts, last_result FROM callbacks
       WHERE state = 'pending' AND due <= ? ORDER BY due, id LIMIT ${String(2 * IN_FLIGHT)}`,
      [now],
    );
    for (const row of due) {
      if (this.#flying.size >= IN_FLIGHT) break;
      if (!this.#flying.has(row.id)) this.#launch(row);
    }
    const sql = `SELECT due FROM callbacks WHERE state = 'pending' AND due > ? ORDER BY due LIMIT 1`;
    const next = await this.#records.first<{ due: number }>(sql, [now]);
    if (!this.#stopped) this.#timer.set(next?.due);
  }

  #launch(row: DueRow): void {
    const flight = this.#attempt(row)
      .catch(() => undefined)
      .finally(() => {
        this.#flying.delete(row.id);
        this.#wake();
      });
    this.#flying.set(row.id, flight);
  }

  async #attempt(row: DueRow): Promise<void> {
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
    const attempts = row.attempts + 1;
    const pauses = SCHEDULES[redelivery];
    const again = redelivery === 'until-acknowledged' || attempts < pauses.length;
    const failed = again ? 'pending' : 'given-up';
    const pause = pauses[Math.min(attempts, pauses.length - 1)] ?? 0;
    const state = result === '200' ? 'delivered' : failed;
    await this.#note(row, { state, attempts, due: clock.now() + pause, result });
    await this.#release(row);
  }

  /** Faults befall each attempt once: one that they held back is then posted. */
  async #courseOf(row: DueRow): Promise<Course> {
    if (row.last_result === HELD) return { type: 'post', posts: [row] };
    // What was sent again by hand counts its attempts anew, and is no first one.
    const isResent = row.attempts === 0 && row.last_result !== '';
    return courseOf(this.#options.faults, { ...row, attempt: row.attempts + (isResent ? 2 : 1) });
  }

  async #note(
    row: DueRow,
    change: {
      readonly result: string;
      readonly state?: string;
      readonly attempts?: number;
      readonly due?: number;
    },
  ): Promise<void> {
    const { result, state = 'pending', attempts = row.attempts, due = this.#options.clock.now() } = change;
    const sql = 'UPDATE callbacks SET state = ?, attempts = ?, due = ?, last_result = ? WHERE id = ?';
    await this.#records.transact((writer) => writer.run(sql, [state, attempts, due, result, row.id]));
  }

  /** Lets go what waited for a callback of this organisation. */
  async #release({ id, org }: DueRow): Promise<void> {
    const waiting = [...this.#held].flatMap(([held, of]) => (of === org && held !== id ? [held] : []));
    this.#held.delete(id);
    for (const held of waiting) {
      this.#held.delete(held);
      const sql = 'UPDATE callbacks SET due = ? WHERE id = ? AND last_result = ?';
      await this.#records.transact((writer) => writer.run(sql, [this.#options.clock.now(), held, HELD]));
    }
  }
}
