import type { TransactionRow } from './ledger-tables.js';

/** What goes into one block: `rows`, of which the first `rehearsed` belong to one deployment that needs a rehearsal. */
export interface Batch {
  readonly rows: readonly TransactionRow[];
  readonly rehearsed: number;
}

/**
 * Cuts the next block from the pending transactions, given in the order of sending. A group of several goes first in
 * its block, so that it can be rehearsed on the block before; what does not need that is taken as it comes.
 */
export function nextBatch(pending: readonly TransactionRow[]): Batch {
  const sizes = new Map<string, number>();
  for (const { group_id: group } of pending) {
    if (group !== null) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  const many = (row: TransactionRow | undefined): boolean => (sizes.get(row?.group_id ?? '') ?? 0) > 1;
  const [first] = pending;
  const rehearsed = many(first) ? lengthOfRun(pending, (row) => row.group_id === first?.group_id) : 0;
  const rest = lengthOfRun(pending.slice(rehearsed), (row) => !many(row));
  return { rows: pending.slice(0, rehearsed + rest), rehearsed };
}

function lengthOfRun<T>(items: readonly T[], holds: (item: T) => boolean): number {
  const end = items.findIndex((item) => !holds(item));
  return end === -1 ? items.length : end;
}
