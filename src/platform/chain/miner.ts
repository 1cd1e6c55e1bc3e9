import type { Records, Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import { nextBatch } from './batch.js';
import { mine, minedBlock, sendAll, type MinedBlock, type Rejection } from './blocks.js';
import type { Chain } from './chain.js';
import type { BlockDriver } from './block-driver.js';
import type { BlockRow, TransactionRow } from './ledger-tables.js';
import { rehearse } from './preflight.js';
import type { Rpc } from './rpc.js';
import { payloadOf } from './signing.js';
import type { Outcome, Settlement } from './settlement.js';

/** What the miner needs. */
export interface MinerParts {
  readonly rpc: Rpc;
  readonly chain: Chain;
  readonly records: Records;
  readonly settlement: Settlement;
  readonly now: () => number;
  /** Called after each block with its number. */
  readonly mined: (number: number) => Promise<void>;
}

/** Transactions in one block: enough to carry a burst, few enough to keep a block under a second. */
const BLOCK_SIZE = 400;

const PENDING = `SELECT * FROM transactions WHERE status = 'pending' AND block IS NULL
  ORDER BY COALESCE(position, id), id LIMIT ${String(BLOCK_SIZE)}`;

/**
 * Drives the embedded chain: the only one who writes to it. Each round cuts a batch from the pending transactions,
 * writes it into the block log, and only then sends it, mines it, and records how each of them ended.
 */
export function createMiner(parts: MinerParts): BlockDriver {
  let asking: (() => void)[] = [];
  let isTorn = true;
  /** Ends what a crash, or a round that failed in the middle, left: nothing goes on a block that is not recorded. */
  const mend = async (): Promise<void> => {
    if (!isTorn) return;
    const sql = 'SELECT * FROM blocks WHERE hash IS NULL ORDER BY number';
    for (const block of await parts.records.all<BlockRow>(sql)) await conclude(parts, block, 'again');
    isTorn = false;
  };
  return {
    tellTime: () =>
      new Promise((resolve) => {
        asking.push(resolve);
      }),
    recover: mend,
    round: async () => {
      await mend();
      const pending = await parts.records.all<TransactionRow>(PENDING);
      if (pending.length === 0 && asking.length === 0) return 'idle';
      const told = asking;
      const { rows, rehearsed } = nextBatch(pending);
      const succeed = rehearsed > 0 ? await rehearse(parts.rpc, rows.slice(0, rehearsed)) : 0;
      const chosen = succeed < rehearsed ? rows.slice(0, succeed + 1) : rows;
      isTorn = true;
      await conclude(parts, await logBlock(parts, chosen), 'new');
      isTorn = false;
      asking = asking.filter((one) => !told.includes(one));
      for (const tell of told) tell();
      return 'busy';
    },
  };
}

async function logBlock({ records, now }: MinerParts, rows: readonly TransactionRow[]): Promise<BlockRow> {
  return records.transact(async (writer) => {
    const last = await writer.first<BlockRow>('SELECT * FROM blocks ORDER BY number DESC LIMIT 1');
    const number = (last?.number ?? 0) + 1;
    const timestamp = Math.max(Math.floor(now() / 1000), last?.timestamp ?? 0);
    const raws = JSON.stringify(rows.map((row) => row.raw));
    await writer.run('INSERT INTO blocks (number, timestamp, raws) VALUES (?, ?, ?)', [
      number,
      timestamp,
      raws,
    ]);
    for (const row of rows) {
      await writer.run('UPDATE transactions SET block = ? WHERE id = ?', [number, row.id]);
    }
    return { number, timestamp, raws, hash: null };
  });
}

/** Sends, mines and records a block. One that is tried again may be on the chain already: it is then only recorded. */
async function conclude(parts: MinerParts, block: BlockRow, time: 'new' | 'again'): Promise<void> {
  const { rpc, records } = parts;
  const raws = JSON.parse(block.raws) as string[];
  const there = time === 'again' ? await minedBlock(rpc, block.number) : undefined;
  const reasons = there
    ? new Map<string, string>()
    : await fillRejected(parts, block, await sendAll(rpc, raws));
  const mined = there ?? (await mine(rpc, block.number, block.timestamp));
  const rows = await records.all<TransactionRow>(
    `SELECT * FROM transactions WHERE block = ? AND status = 'pending' ORDER BY COALESCE(position, id), id`,
    [block.number],
  );
  const outcomes = await Promise.all(
    rows.map(async (row) => ({ row, outcome: await outcomeOf(parts, { row, block, mined, reasons }) })),
  );
  for (const { row, outcome } of outcomes) {
    if (outcome.receipt === null) await rpc.request('anvil_dropTransaction', [row.hash]);
  }
  await records.transact(async (writer) => {
    await writer.run('UPDATE blocks SET hash = ? WHERE number = ?', [mined.hash, block.number]);
    for (const { row, outcome } of outcomes) {
      await parts.settlement.settle(writer, row, outcome);
      if (outcome.receipt === null && !reasons.has(row.hash)) await parts.settlement.release(writer, row);
    }
  });
  await parts.mined(block.number);
}

/** Fills the nonces that rejected transactions leave, in this same block: what follows them waits for it. */
async function fillRejected(
  { rpc, records, settlement }: MinerParts,
  block: BlockRow,
  rejections: readonly Rejection[],
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  if (rejections.length === 0) return reasons;
  const raws = JSON.parse(block.raws) as string[];
  const fillers = await records.transact(async (writer) => {
    const made: string[] = [];
    for (const { index, message } of rejections) {
      const filler = await fillOne(writer, settlement, raws[index] ?? '');
      if (filler === undefined) continue;
      reasons.set(filler.hash, message);
      if (filler.raw !== undefined) made.push(filler.raw);
    }
    const all = JSON.stringify([...raws, ...made]);
    await writer.run('UPDATE blocks SET raws = ? WHERE number = ?', [all, block.number]);
    return made;
  });
  await sendAll(rpc, fillers);
  return reasons;
}

async function fillOne(
  writer: Writer,
  settlement: Settlement,
  raw: string,
): Promise<{ readonly hash: string; readonly raw?: string } | undefined> {
  const sql = `SELECT * FROM transactions WHERE raw = ? AND status = 'pending'`;
  const row = await writer.first<TransactionRow>(sql, [raw]);
  if (!row) return undefined;
  const filler = await settlement.release(writer, row);
  return { hash: row.hash, ...(filler !== undefined && { raw: filler }) };
}

async function outcomeOf(
  { chain }: MinerParts,
  about: {
    readonly row: TransactionRow;
    readonly block: BlockRow;
    readonly mined: MinedBlock;
    readonly reasons: ReadonlyMap<string, string>;
  },
): Promise<Outcome> {
  const { row, block, mined, reasons } = about;
  const timestamp = timestampOf(block.timestamp * 1000);
  const receipt = mined.receipts.get(row.hash) ?? null;
  if (receipt?.status === true) {
    return { status: 'success', message: '', revertData: '0x', receipt, timestamp };
  }
  if (receipt === null) {
    const message = reasons.get(row.hash) ?? 'the chain did not include the transaction';
    return { status: 'failed', message, revertData: '0x', receipt, timestamp };
  }
  const again = await chain.call({ from: row.sender, ...payloadOf(row.raw) });
  const failure = again.ok ? { message: 'execution reverted', revertData: '0x' } : again;
  const { message, revertData } = failure;
  return { status: 'failed', message, revertData, receipt, timestamp };
}
