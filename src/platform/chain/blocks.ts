import { member, textMember, type Json } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import { ChainError } from './chain.js';
import { hexQuantity, quantity, receiptOf } from './receipts.js';
import type { Rpc } from './rpc.js';

/** A block that was mined: its hash, the gas it used, and the receipts by transaction hash. */
export interface MinedBlock {
  readonly hash: string;
  readonly gasUsed: bigint;
  readonly receipts: ReadonlyMap<string, Receipt>;
}

/** A transaction that the node would not take, by its index among those sent. */
export interface Rejection {
  readonly index: number;
  readonly message: string;
}

/**
 * Sends signed transactions and waits for all answers. The members of a batch run side by side in Anvil, so mining
 * must never share a batch with them. What the node has already counts as sent.
 */
export async function sendAll(rpc: Rpc, raws: readonly string[]): Promise<readonly Rejection[]> {
  const answers = await rpc.batch(raws.map((raw) => ['eth_sendRawTransaction', [raw]] as const));
  return answers.flatMap((answer, index) =>
    answer.ok || /already (imported|known)/i.test(answer.error.message)
      ? []
      : [{ index, message: answer.error.message }],
  );
}

/**
 * Makes the node mine what it holds into block `number`.
 *
 * @param timestamp in seconds, not before the last block's
 * @throws ChainError when the new block has another number: something else drives this node
 */
export async function mine(rpc: Rpc, number: number, timestamp: number): Promise<MinedBlock> {
  await rpc.request('evm_mine', [{ timestamp }]);
  const mined = await minedBlock(rpc, number);
  if (mined === undefined) throw new ChainError(`block ${String(number)} is not there after mining`);
  return mined;
}

/** Block `number` as the node has it; undefined when it has none. */
export async function minedBlock(rpc: Rpc, number: number): Promise<MinedBlock | undefined> {
  const [block, receipts] = await rpc.batch([
    ['eth_getBlockByNumber', [hexQuantity(number), false]],
    ['eth_getBlockReceipts', [hexQuantity(number)]],
  ]);
  const hash = block?.ok === true ? textMember(block.result, 'hash') : undefined;
  if (hash === undefined || receipts?.ok !== true) return undefined;
  const gasUsed = BigInt(quantity(member(block?.ok === true ? block.result : null, 'gasUsed')));
  const list = Array.isArray(receipts.result) ? (receipts.result as readonly Json[]) : [];
  const read = list.flatMap((value) => receiptOf(value) ?? []);
  return { hash, gasUsed, receipts: new Map(read.map((receipt) => [receipt.transactionHash, receipt])) };
}
