import { countUse } from '../admission/quotas.js';
import type { Records, TableGroup, Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import { callbackItem, CALLBACK_COLUMNS, type CallbackItem, type CallbackRow } from './callback-item.js';
import type { Callback } from './delivery.js';

/**
 * Table of the outbox. `due` is in milliseconds since 1970; `state` is `pending`, `delivered` or `given-up`; `round` counts
 * the attempts since it was last sent by hand, which decide the pause, `attempts` counts all.
 */
export const CALLBACK_TABLES: TableGroup = {
  name: 'callbacks',
  statements: [
    `CREATE TABLE IF NOT EXISTS callbacks (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL,
      subject TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0,
      round INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL, last_result TEXT NOT NULL DEFAULT '', last_at TEXT,
      created_at TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS callbacks_due ON callbacks (due) WHERE state = 'pending'`,
    'CREATE INDEX IF NOT EXISTS callbacks_by_org ON callbacks (org, id)',
    `CREATE INDEX IF NOT EXISTS callbacks_waiting ON callbacks (org) WHERE state = 'pending'`,
  ],
};

/** A callback that is to be posted now. */
export interface DueCallback {
  readonly id: number;
  readonly org: string;
  readonly url: string;
  readonly body: string;
  readonly subject: string;
  /** Those that were made. */
  readonly attempts: number;
  /** Those of them since it was last sent by hand. */
  readonly round: number;
  readonly last_result: string;
}

/** What became of an attempt. */
export interface Noted {
  readonly state: string;
  /** Whether it was posted. */
  readonly posted: boolean;
  /** When the attempt ended. */
  readonly at: number;
  /** When the next one is due. */
  readonly due: number;
  readonly result: string;
}

/** Result of an attempt that a fault put off. */
export const HELD = 'held back by a fault';

/** Result of an attempt that is on its way. */
export const SENDING = 'sending';

const LIST_LIMIT = 100;

/** Records a callback that is due. */
export async function insertCallback(writer: Writer, callback: Callback, now: number): Promise<void> {
  const { org, url, body, subject } = callback;
  const sql = 'INSERT INTO callbacks (org, url, body, subject, due, created_at) VALUES (?, ?, ?, ?, ?, ?)';
  const text = JSON.stringify(body);
  await writer.run(sql, [org, url, text, subject, now, timestampOf(now)]);
  await countUse(writer, org, 'storedBytes', text.length);
}

/** The outbox on record: what is due, what is on its way, what became of it. */
export class CallbackRows {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** What is due, oldest first, but of these organisations. */
  due(now: number, without: readonly string[], limit: number): Promise<readonly DueCallback[]> {
    const others = without.length > 0 ? `AND org NOT IN (${without.map(() => '?').join(', ')})` : '';
    const sql = `SELECT id, org, url, body, subject, attempts, round, last_result FROM callbacks
      WHERE state = 'pending' AND due <= ? ${others} ORDER BY due, id LIMIT ?`;
    return this.#records.all<DueCallback>(sql, [now, ...without, limit]);
  }

  /** When the next callback is due after a time. */
  async nextDue(after: number): Promise<number | undefined> {
    const sql = `SELECT due FROM callbacks WHERE state = 'pending' AND due > ? ORDER BY due LIMIT 1`;
    return (await this.#records.first<{ due: number }>(sql, [after]))?.due;
  }

  /** What was on its way when the platform ended is due, as the attempt that it was. */
  async resume(now: number): Promise<void> {
    const sql = `UPDATE callbacks SET attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END,
      round = CASE WHEN round > 0 THEN round - 1 ELSE 0 END, due = ?, last_result = '' WHERE state = 'pending' AND last_result = '${SENDING}'`;
    await this.#records.transact((writer) => writer.run(sql, [now]));
  }

  /**
   * Records that these are on their way.
   *
   * @param until when that is believed of one
   * @returns those that still were due
   */
  claim(rows: readonly DueCallback[], until: (row: DueCallback) => number): Promise<readonly DueCallback[]> {
    const sql = `UPDATE callbacks SET attempts = ?, round = ?, due = ?, last_result = '${SENDING}'
      WHERE id = ? AND state = 'pending' AND attempts = ?`;
    return this.#records.transact(async (writer) => {
      const claimed: DueCallback[] = [];
      for (const row of rows) {
        const changed = await writer.run(sql, [
          row.attempts + 1,
          row.round + 1,
          until(row),
          row.id,
          row.attempts,
        ]);
        if (changed > 0) claimed.push(row);
      }
      return claimed;
    });
  }

  /** Records what became of a claimed one. */
  async note(row: DueCallback, { state, posted, at, due, result }: Noted): Promise<void> {
    const sql = `UPDATE callbacks SET state = ?, attempts = ?, round = ?, due = ?, last_result = ?, last_at = ?
      WHERE id = ? AND attempts = ? AND last_result = '${SENDING}'`;
    const more = Number(posted);
    const counts = [row.attempts + more, row.round + more];
    const args = [state, ...counts, due, result, timestampOf(at), row.id, row.attempts + 1];
    await this.#records.transact((writer) => writer.run(sql, args));
  }

  /** Makes one due that a fault put off. */
  async letGo(id: number, now: number): Promise<void> {
    const sql = 'UPDATE callbacks SET due = ? WHERE id = ? AND last_result = ?';
    await this.#records.transact((writer) => writer.run(sql, [now, id, HELD]));
  }

  /** One of an organisation. */
  find(org: string, id: number): Promise<CallbackRow | undefined> {
    const sql = `SELECT ${CALLBACK_COLUMNS} FROM callbacks WHERE org = ? AND id = ?`;
    return this.#records.first<CallbackRow>(sql, [org, id]);
  }

  /** Makes one due, whatever its state, with the pauses of a first attempt. */
  async resend(org: string, id: number, now: number): Promise<void> {
    const sql = `UPDATE callbacks SET state = 'pending', round = 0, due = ? WHERE org = ? AND id = ?`;
    await this.#records.transact((writer) => writer.run(sql, [now, org, id]));
  }

  /** The newest of an organisation, at most 100. */
  async list(org: string): Promise<readonly CallbackItem[]> {
    const sql = `SELECT ${CALLBACK_COLUMNS} FROM callbacks WHERE org = ? ORDER BY id DESC LIMIT ${String(LIST_LIMIT)}`;
    return (await this.#records.all<CallbackRow>(sql, [org])).map(callbackItem);
  }
}
