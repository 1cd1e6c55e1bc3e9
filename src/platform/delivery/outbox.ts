import { Agent, request } from 'undici';
import type { Records, TableGroup } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import type { Delivery } from './delivery.js';
import { targetsOf, type TargetRules, type Targets } from './target.js';

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

/** A callback as the list shows it. The path of its URL is a secret of the caller, so only the origin is shown. */
export interface CallbackItem {
  readonly id: number;
  readonly origin: string;
  readonly subject: string;
  readonly state: string;
  readonly attempts: number;
  /** HTTP status or the kind of failure of the last attempt; empty before the first. */
  readonly last_result: string;
  readonly created_at: string;
}

/** How to deliver. */
export interface OutboxOptions {
  readonly redelivery: Redelivery;
  /** Where callbacks may go. */
  readonly targets: TargetRules;
  readonly now: () => number;
}

interface DueRow {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
}

const IN_FLIGHT = 16;
const LIST_LIMIT = 100;

/** Time that a receiver gets for its answer, and for a part of it, in milliseconds. */
const ANSWER_TIME = 10_000;

/** Bytes of an answer that are read; nothing of it is kept or shown. */
const ANSWER_BYTES = 65_536;

/**
 * Posts recorded callbacks until each is acknowledged with 200. What is recorded survives a restart; a crash
 * between the answer and its record posts a callback once more, which receivers must expect anyway.
 */
export class Outbox implements Delivery {
  readonly #records: Records;
  readonly #options: OutboxOptions;
  readonly #targets: Targets;
  readonly #agent: Agent;
  readonly #flying = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #again = false;
  #stopped = true;

  constructor(records: Records, options: OutboxOptions) {
    this.#records = records;
    this.#options = options;
    this.#targets = targetsOf(options.targets);
    this.#agent = new Agent({
      headersTimeout: ANSWER_TIME,
      bodyTimeout: ANSWER_TIME,
      maxHeaderSize: 16_384,
      connect: { timeout: 5000, lookup: this.#targets.lookup },
    });
  }

  /** See {@link Delivery}. */
  readonly enqueue: Delivery['enqueue'] = async (writer, callback) => {
    const now = this.#options.now();
    await writer.run(
      'INSERT INTO callbacks (org, url, body, subject, due, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      [callback.org, callback.url, JSON.stringify(callback.body), callback.subject, now, timestampOf(now)],
    );
    writer.afterCommit(() => {
      this.#wake();
    });
  };

  /** See {@link Delivery}. */
  readonly fault: Delivery['fault'] = (url) => this.#targets.fault(url);

  /** Begins to deliver, what an earlier run left first. */
  start(): void {
    this.#stopped = false;
    this.#wake();
  }

  /** Ends after the attempts under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#filling;
    await Promise.all(this.#flying.values());
    await this.#agent.close();
  }

  /** The newest callbacks of an organisation, at most 100. */
  async list(org: string): Promise<readonly CallbackItem[]> {
    const rows = await this.#records.all<Omit<CallbackItem, 'origin'> & { readonly url: string }>(
      `SELECT id, url, subject, state, attempts, last_result, created_at FROM callbacks
       WHERE org = ? ORDER BY id DESC LIMIT ${String(LIST_LIMIT)}`,
      [org],
    );
    return rows.map(({ url, ...row }) => ({ ...row, origin: new URL(url).origin }));
  }

  /** Sends a callback again, whatever its state. False: the organisation has no such callback. */
  async resend(org: string, id: number): Promise<boolean> {
    const sql = `UPDATE callbacks SET state = 'pending', attempts = 0, due = ? WHERE org = ? AND id = ?`;
    const changed = await this.#records.transact((writer) => writer.run(sql, [this.#options.now(), org, id]));
    if (changed > 0) this.#wake();
    return changed > 0;
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      clearTimeout(this.#timer);
      const due = await this.#records.all<DueRow>(
        `SELECT id, url, body, attempts FROM callbacks WHERE state = 'pending' AND due <= ? ORDER BY due, id LIMIT 100`,
        [this.#options.now()],
      );
      for (const row of due) {
        if (this.#flying.size >= IN_FLIGHT) break;
        if (!this.#flying.has(row.id)) this.#launch(row);
      }
    }
    await this.#setTimer();
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

  async #setTimer(): Promise<void> {
    const sql = `SELECT due FROM callbacks WHERE state = 'pending' AND due > ? ORDER BY due LIMIT 1`;
    const now = this.#options.now();
    const next = await this.#records.first<{ due: number }>(sql, [now]);
    if (!next || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#wake();
    }, next.due - now).unref();
  }

  async #attempt(row: DueRow): Promise<void> {
    const result = await this.#post(row);
    const attempts = row.attempts + 1;
    const { redelivery } = this.#options;
    const pauses = SCHEDULES[redelivery];
    const again = redelivery === 'until-acknowledged' || attempts < pauses.length;
    const failed = again ? 'pending' : 'given-up';
    const state = result === '200' ? 'delivered' : failed;
    const pause = pauses[Math.min(attempts, pauses.length - 1)] ?? 0;
    const sql = 'UPDATE callbacks SET state = ?, attempts = ?, due = ?, last_result = ? WHERE id = ?';
    const args = [state, attempts, this.#options.now() + pause, result, row.id];
    await this.#records.transact((writer) => writer.run(sql, args));
  }

  async #post(row: DueRow): Promise<string> {
    const fault = this.#targets.fault(row.url);
    if (fault !== undefined) return fault;
    try {
      const response = await request(row.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: row.body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(15_000),
      });
      await response.body.dump({ limit: ANSWER_BYTES });
      return String(response.statusCode);
    } catch (cause) {
      const code = (cause as { readonly code?: unknown } | null)?.code;
      return typeof code === 'string' ? code : 'no answer';
    }
  }
}
