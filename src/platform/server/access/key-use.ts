import type { Records } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';

const HOUR = 3_600_000;

/**
 * Keeps when each key was last used, to the hour: one write for each key and hour at most. Only keys on record are told
 * of, so what is held in memory is no more than they.
 */
export class KeyUse {
  readonly #records: Records;
  readonly #hours = new Map<string, number>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Notes a use. @param now milliseconds since 1970 */
  note(clientId: string, now: number): void {
    const hour = Math.floor(now / HOUR);
    if (this.#hours.get(clientId) === hour) return;
    this.#hours.set(clientId, hour);
    const sql = 'UPDATE api_keys SET last_used_at = ? WHERE client_id = ?';
    const args = [timestampOf(hour * HOUR), clientId];
    // A note that is lost is made again in an hour: it is worth no error.
    this.#records.transact((writer) => writer.run(sql, args)).catch(() => undefined);
  }
}
