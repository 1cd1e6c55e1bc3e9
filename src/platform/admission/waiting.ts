import type { Reader } from '../state/records.js';
import type { Limits } from './limits.js';
import { Busy, QuotaUsed } from './refusals.js';

/** How long a count is good, in milliseconds: counting for every write would cost more than it saves. */
const COUNT_AGE = 250;

/** Organisations whose counts are remembered. */
const REMEMBERED = 1000;

const TRANSACTIONS = `SELECT count(*) AS n FROM transactions WHERE status = 'pending'`;
const VERSIONS = `SELECT count(*) AS n FROM versions WHERE status = 'compile_queued'`;
const CALLBACKS = `SELECT count(*) AS n FROM callbacks WHERE state = 'pending' AND org = ?`;

/** How much waits for the chain, the compiler and the receivers of callbacks, as of a moment ago. */
export class Waiting {
  readonly #reader: Reader;
  readonly #limits: Limits;
  readonly #counts = new Map<string, { readonly at: number; readonly n: Promise<number> }>();

  constructor(reader: Reader, limits: Limits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  /**
   * Refuses a write of an organisation while too much waits.
   *
   * @throws Busy 503 where all together have too much that waits, 429 where it has; QuotaUsed 429 for callbacks
   */
  async check(org: string): Promise<void> {
    const { waiting, waitingPerOrganisation, callbacksWaiting } = this.#limits;
    const all = await this.#count('', [TRANSACTIONS, VERSIONS], []);
    if (all >= waiting) throw new Busy(503, 'Too many requests are waiting.', 5);
    // What one organisation has that waits is among all that does.
    if (all >= waitingPerOrganisation) {
      const own = await this.#count(
        `tx ${org}`,
        [`${TRANSACTIONS} AND org = ?`, `${VERSIONS} AND org = ?`],
        [org],
      );
      if (own >= waitingPerOrganisation)
        throw new Busy(429, 'Too many requests of the organisation are waiting.', 5);
    }
    if (
      callbacksWaiting !== Infinity &&
      (await this.#count(`callback ${org}`, [CALLBACKS], [org])) >= callbacksWaiting
    )
      throw new QuotaUsed(429, 'callbacksWaiting', callbacksWaiting);
  }

  /** A count that is fresh enough; many who ask at a time share one. */
  #count(name: string, sql: readonly string[], args: readonly string[]): Promise<number> {
    const now = performance.now();
    const known = this.#counts.get(name);
    if (known && now - known.at < COUNT_AGE) return known.n;
    if (this.#counts.size >= REMEMBERED) this.#counts.clear();
    const n = Promise.all(sql.map((one) => this.#reader.first<{ n: number }>(one, args))).then((rows) =>
      rows.reduce((sum, row) => sum + (row?.n ?? 0), 0),
    );
    this.#counts.set(name, { at: now, n });
    n.catch(() => this.#counts.delete(name));
    return n;
  }
}
