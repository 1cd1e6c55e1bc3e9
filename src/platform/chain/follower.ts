import type { Records } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import type { BlockDriver } from './block-driver.js';
import { sendAll } from './blocks.js';
import type { Chain } from './chain.js';
import type { Funding } from './funding.js';
import type { TransactionRow } from './ledger-tables.js';
import { quantity, receiptOf } from './receipts.js';
import type { Rpc } from './rpc.js';
import { payloadOf } from './signing.js';
import { FILLER, type Outcome, type Settlement } from './settlement.js';

/** What the follower needs. */
export interface FollowerParts {
  readonly rpc: Rpc;
  readonly chain: Chain;
  readonly records: Records;
  readonly settlement: Settlement;
  readonly now: () => number;
  /** Keeps wallets able to pay; undefined where gas is free or they are filled by others. */
  readonly funding?: Funding;
}

/** Members of one JSON-RPC batch: some nodes take no more. */
const BATCH = 50;

/** Marks a transaction as sent, in the `block` column: its real block stands in the receipt. */
const SENT = 0;

/**
 * Follows a chain that others mine: sends what is pending, looks for receipts, and sends again what the node forgot.
 * The members of a group go one after another, each when the one before it succeeded.
 */
export function createFollower(parts: FollowerParts): BlockDriver {
  return {
    recover: async () => undefined,
    round: async () => {
      const rows = await parts.records.all<TransactionRow>(
        `SELECT * FROM transactions WHERE status = 'pending' ORDER BY COALESCE(position, id), id LIMIT 500`,
      );
      if (rows.length === 0) return 'idle';
      const withheld = await parts.funding?.withheld(sendable(rows).map(({ sender }) => sender));
      const ready = sendable(rows).filter(
        ({ sender, block }) => block !== null || withheld?.has(sender) !== true,
      );
      let moved = 0;
      for (let at = 0; at < ready.length; at += BATCH)
        moved += await sendSome(parts, ready.slice(at, at + BATCH));
      for (let at = 0; at < ready.length; at += BATCH)
        moved += await look(parts, ready.slice(at, at + BATCH));
      return moved > 0 ? 'busy' : 'waiting';
    },
  };
}

/**
 * All that may be on its way: of each group only the first still pending, and nothing of its wallet behind the rest. What
 * others signed is sent one by one: behind one that the node refuses, another would lie in wait there for its nonce.
 */
function sendable(rows: readonly TransactionRow[]): readonly TransactionRow[] {
  const groups = new Set<string>();
  const held = new Set<string>();
  return rows.filter((row) => {
    if (row.group_id !== null && groups.has(row.group_id)) held.add(row.sender);
    if (row.group_id !== null) groups.add(row.group_id);
    if (held.has(row.sender)) return false;
    if (row.custodial === 0 && row.block === null) held.add(row.sender);
    return true;
  });
}

/** Sends what the node may not have; answers how many it heard of for the first time and took, or refused for good. */
async function sendSome(
  { rpc, records, settlement, now }: FollowerParts,
  rows: readonly TransactionRow[],
): Promise<number> {
  const rejections = await sendAll(
    rpc,
    rows.map((row) => row.raw),
  );
  const refused = new Map(rejections.map(({ index, message }) => [index, message]));
  const fresh = [...rows.entries()].filter(([, { block }]) => block === null);
  if (fresh.length === 0) return 0;
  return records.transact(async (writer) => {
    let moved = 0;
    for (const [index, row] of fresh) {
      const message = refused.get(index);
      // A nonce too low means mined: the receipt tells. Any other refusal of what was sent before may pass.
      if (message === undefined || /nonce too low/i.test(message)) {
        moved += await writer.run(
          `UPDATE transactions SET block = ? WHERE id = ? AND block IS NULL AND status = 'pending'`,
          [SENT, row.id],
        );
      } else if (row.subject_type === FILLER) {
        await settlement.refill(writer, row);
      } else {
        const timestamp = timestampOf(now());
        const outcome = { status: 'failed', message, revertData: '0x', receipt: null, timestamp } as const;
        await settlement.settle(writer, row, outcome);
        await settlement.release(writer, row);
        moved += 1;
      }
    }
    return moved;
  });
}

async function look(
  { rpc, chain, records, settlement, now }: FollowerParts,
  rows: readonly TransactionRow[],
): Promise<number> {
  const answers = await rpc.batch(rows.map((row) => ['eth_getTransactionReceipt', [row.hash]] as const));
  const ended: { readonly row: TransactionRow; readonly outcome: Outcome }[] = [];
  for (const [index, row] of rows.entries()) {
    const answer = answers[index];
    const receipt = answer?.ok === true ? receiptOf(answer.result) : undefined;
    if (!receipt) continue;
    const timestamp = timestampOf(await blockTime(rpc, receipt.blockNumber, now));
    const again = receipt.status ? undefined : await chain.call({ from: row.sender, ...payloadOf(row.raw) });
    const reason = again?.ok === false ? again : { message: 'execution reverted', revertData: '0x' };
    const outcome: Outcome = receipt.status
      ? { status: 'success', message: '', revertData: '0x', receipt, timestamp }
      : { status: 'failed', message: reason.message, revertData: reason.revertData, receipt, timestamp };
    ended.push({ row, outcome });
  }
  if (ended.length === 0) return 0;
  await records.transact(async (writer) => {
    for (const { row, outcome } of ended) await settlement.settle(writer, row, outcome);
  });
  return ended.length;
}

async function blockTime(rpc: Rpc, number: number, now: () => number): Promise<number> {
  const block = await rpc.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  const seconds = quantity((block as { readonly timestamp?: string } | null)?.timestamp);
  return seconds === 0 ? now() : seconds * 1000;
}
