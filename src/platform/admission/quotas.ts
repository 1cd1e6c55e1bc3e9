import type { TableGroup, Writer } from '../state/records.js';
import type { Limits } from './limits.js';
import { QuotaUsed } from './refusals.js';

/** Table of what each organisation has of what there are quotas of. */
export const QUOTA_TABLES: TableGroup = {
  name: 'quotas',
  statements: [
    `CREATE TABLE IF NOT EXISTS quota_use (
      org TEXT NOT NULL, quota TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (org, quota))`,
  ],
};

/** What an organisation has so much of. */
export type Quota = 'storedBytes' | 'wallets' | 'projects' | 'versions' | 'labels';

/** The quotas, for those who look at them. */
export const QUOTAS: readonly Quota[] = ['storedBytes', 'wallets', 'projects', 'versions', 'labels'];

/**
 * Counts what an organisation has more, without asking whether it may: for what follows from what it was allowed to do.
 *
 * @returns how much it has
 */
export async function countUse(writer: Writer, org: string, quota: Quota, amount = 1): Promise<number> {
  const row = await writer.first<{ used: number }>(
    `INSERT INTO quota_use (org, quota, used) VALUES (?, ?, ?)
     ON CONFLICT (org, quota) DO UPDATE SET used = quota_use.used + ? RETURNING used`,
    [org, quota, amount, amount],
  );
  return row?.used ?? 0;
}

/** What one organisation may have. */
export class Quotas {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How much of a quota an organisation may have. */
  limit(quota: Quota | 'keys'): number {
    return this.#limits[quota];
  }

  /**
   * Counts what an organisation is to have more, inside the transaction that records it.
   *
   * @throws QuotaUsed when it would have more than it may: 507 for room, 429 for numbers
   */
  async take(writer: Writer, org: string, quota: Quota, amount = 1): Promise<void> {
    const used = await countUse(writer, org, quota, amount);
    const limit = this.#limits[quota];
    if (used > limit) throw new QuotaUsed(quota === 'storedBytes' ? 507 : 429, quota, limit);
  }
}
