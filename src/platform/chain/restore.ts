import type { Records } from '../state/records.js';
import { firstLimited, limitBlocks } from './block-gas.js';
import { mine, sendAll } from './blocks.js';
import type { BlockRow } from './ledger-tables.js';
import { quantity } from './receipts.js';
import type { Rpc } from './rpc.js';

/** The chain on disk and the block log disagree: going on would show a history that never was. */
export class ChainMismatch extends Error {
  constructor(number: number) {
    super(
      `block ${String(number)} of the chain differs from the block log: the data folder mixes two chains, or another ` +
        'release of Anvil is installed than the one that made it',
    );
    this.name = 'ChainMismatch';
  }
}

/** How many blocks were replayed, and the number of the last one that the node has. */
export interface Replayed {
  readonly count: number;
  readonly last: number;
}

/**
 * Replays the block log on a node that stands at an earlier block, and checks that every block comes out with the
 * hash on record. The last block may have no hash yet: then the crash came between writing and settling it, and the
 * caller settles it. From then on, the node's blocks have their limit of gas.
 *
 * @throws ChainMismatch when a block differs
 */
export async function replay(rpc: Rpc, records: Records): Promise<Replayed> {
  const head = quantity(await rpc.request('eth_blockNumber', []));
  const known = await records.first<BlockRow>('SELECT * FROM blocks WHERE number = ?', [head]);
  if (head > 0 && known === undefined) throw new ChainMismatch(head);
  if (known?.hash) await check(rpc, known.number, known.hash);
  const sql = 'SELECT * FROM blocks WHERE number > ? AND hash IS NOT NULL ORDER BY number LIMIT 100';
  const limited = await firstLimited(records);
  let at = head;
  if (at + 1 >= limited) await limitBlocks(rpc);
  for (;;) {
    const blocks = await records.all<BlockRow>(sql, [at]);
    if (blocks.length === 0) return { count: at - head, last: at };
    for (const block of blocks) {
      await sendAll(rpc, JSON.parse(block.raws) as string[]);
      const { hash } = await mine(rpc, block.number, block.timestamp);
      if (hash !== block.hash) throw new ChainMismatch(block.number);
      at = block.number;
      if (at + 1 === limited) await limitBlocks(rpc);
    }
  }
}

async function check(rpc: Rpc, number: number, expected: string): Promise<void> {
  const block = (await rpc.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
    readonly hash?: string;
  } | null;
  if (block?.hash !== expected) throw new ChainMismatch(number);
}
