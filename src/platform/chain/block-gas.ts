import type { Records } from '../state/records.js';
import type { BlockRow } from './ledger-tables.js';
import { hexQuantity } from './receipts.js';
import type { Rpc } from './rpc.js';

/**
 * Gas of one block of the embedded chain: a third of a second of ordinary code, a few seconds of the most expensive.
 * What does not fit waits for the next block, where others have their turn as well.
 */
export const BLOCK_GAS = 100_000_000n;

const META = 'first_block_with_gas_limit';

/** Number of the first block that has the limit: folders of earlier releases began with blocks without one. */
export async function firstLimited(records: Records): Promise<number> {
  return records.transact(async (writer) => {
    const known = await writer.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', [META]);
    if (known) return Number(known.value);
    const last = await writer.first<Pick<BlockRow, 'number'>>(
      'SELECT number FROM blocks WHERE hash IS NOT NULL ORDER BY number DESC LIMIT 1',
    );
    const first = (last?.number ?? 0) + 1;
    await writer.run('INSERT INTO meta (key, value) VALUES (?, ?)', [META, String(first)]);
    return first;
  });
}

/** Makes the node's next blocks have the limit. */
export async function limitBlocks(rpc: Pick<Rpc, 'request'>): Promise<void> {
  await rpc.request('evm_setBlockGasLimit', [hexQuantity(BLOCK_GAS)]);
}

/**
 * Of the transactions that a block was to hold and does not, those that did not fit: by their own gas, or because what
 * their sender sends before them did not.
 *
 * @param missing in the order of sending
 * @param used gas that the block used
 */
export function postponed<Row extends { readonly sender: string }>(
  missing: readonly Row[],
  used: bigint,
  gasOf: (row: Row) => bigint,
): readonly Row[] {
  const senders = new Set<string>();
  return missing.filter((row) => {
    const waits = senders.has(row.sender) || used + gasOf(row) > BLOCK_GAS;
    if (waits) senders.add(row.sender);
    return waits;
  });
}
