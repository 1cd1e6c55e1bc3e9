import type { Records, Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import { BLOCK_SIZE, nextBatch, type Batch, type Waiting } from './batch.js';
import { postponed } from './block-gas.js';
import { mine, minedBlock, sendAll, type MinedBlock, type Rejection } from './blocks.js';
import type { Chain } from './chain.js';
import type { BlockDriver } from './block-driver.js';
import type { BlockRow, TransactionRow } from './ledger-tables.js';
import { rehearse } from './preflight.js';
import type { Rpc } from './rpc.js';
import { payloadOf } from './signing.js';
import { FILLER, type Outcome, type Settlement } from './settlement.js';

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

const WAITING = `FROM transactions WHERE status = 'pending' AND block IS NULL`;
const IN_ORDER = 'ORDER BY COALESCE(position, id), id';

/** Gas of a replay that says why a transaction failed, beside twice what the transaction used. */
const REPLAY_GAS = 100_000n;

/** Transactions that are looked through for those of the next block when several organisations wait. */
const LOOKED_THROUGH = 20_000;

/**
 * Drives the embedded chain: the only one who writes to it. Each round cuts a batch from the pending transactions,
 * writes it into the block log, and only then sends it, mines it, and records how each of them ended.
 */
export function createMiner(parts: MinerParts): BlockDriver {
  let asking: (() => void)[] = [];
  let isTorn = true;
  let began: string | undefined;
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
      const { rows, rehearsed } = await waiting(parts.records, began);
      if (rows.length === 0 && asking.length === 0) return 'idle';
      const told = asking;
      began = rows[0]?.org;
      const succeed = rehearsed > 0 ? await rehearse(parts.rpc, rows.slice(0, rehearsed)) : 0;
      // Behind a member that will fail, the wallet of its deployment sends something else; other wallets need not wait.
      const holds = ({ sender }: TransactionRow, at: number): boolean =>
        at <= succeed || (at >= rehearsed && sender !== rows[0]?.sender);
      const chosen = succeed < rehearsed ? rows.filter(holds) : rows;
      isTorn = true;
      await conclude(parts, await logBlock(parts, chosen), 'new');
      isTorn = false;
      asking = asking.filter((one) => !told.includes(one));
      for (const tell of told) tell();
      return 'busy';
    },
  };
}

/** The batch that is next; `after`: the organisation that began the one before. */
async function waiting(records: Records, after: string | undefined): Promise<Batch<TransactionRow>> {
  const orgs = await records.all(`SELECT DISTINCT org ${WAITING} LIMIT 2`);
  if (orgs.length < 2) {
    const sql = `SELECT * ${WAITING} ${IN_ORDER} LIMIT ${String(BLOCK_SIZE)}`;
    return nextBatch(await records.all<TransactionRow>(sql));
  }
  const sql = `SELECT id, org, sender, group_id ${WAITING} ${IN_ORDER} LIMIT ${String(LOOKED_THROUGH)}`;
  const { rows: chosen, rehearsed } = nextBatch(await records.all<Waiting>(sql), after);
  const ids = chosen.map(({ id }) => id);
  const found = await records.all<TransactionRow>(
    `SELECT * FROM transactions WHERE id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), rehearsed };
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
  const held = await records.all<TransactionRow>(
    'SELECT * FROM transactions WHERE block = ? ORDER BY COALESCE(position, id), id',
    [block.number],
  );
  const missing = held.filter(({ hash }) => !mined.receipts.has(hash));
  // Those that ended meanwhile too: what the node keeps, it may mine into a block whose log knows nothing of it.
  for (const { hash } of missing) await rpc.request('anvil_dropTransaction', [hash]);
  const refused = missing.filter(({ hash, status }) => status === 'pending' && !reasons.has(hash));
  const later = new Set(waitingAgain(refused, mined));
  const ended = held.filter((row) => row.status === 'pending' && !later.has(row));
  const outcomes = await Promise.all(
    ended.map(async (row) => ({ row, outcome: await outcomeOf(parts, { row, block, mined, reasons }) })),
  );
  await records.transact(async (writer) => {
    await writer.run('UPDATE blocks SET hash = ? WHERE number = ?', [mined.hash, block.number]);
    if (later.size > 0) await putBack(writer, block.number, [...later]);
    for (const { row, outcome } of outcomes) {
      await parts.settlement.settle(writer, row, outcome);
      if (outcome.receipt === null && !reasons.has(row.hash)) await parts.settlement.release(writer, row);
    }
  });
  await parts.mined(block.number);
}

/**
 * Of the transactions that a block was to hold and does not, those that a later one can: what did not fit, what uses up
 * a nonce, and what a custodial wallet sends behind one whose nonce is filled next.
 */
function waitingAgain(
  refused: readonly TransactionRow[],
  { gasUsed }: MinedBlock,
): readonly TransactionRow[] {
  const unfit = new Set(postponed(refused, gasUsed, ({ raw }) => payloadOf(raw).gas));
  const failed = new Set<string>();
  return refused.filter((row) => {
    const waits =
      unfit.has(row) || row.subject_type === FILLER || (row.custodial === 1 && failed.has(row.sender));
    if (!waits) failed.add(row.sender);
    return waits;
  });
}

/** Makes transactions wait again that a block had no room for, as if it had never been meant to hold them. */
async function putBack(writer: Writer, number: number, rows: readonly TransactionRow[]): Promise<void> {
  const logged = await writer.first<BlockRow>('SELECT * FROM blocks WHERE number = ?', [number]);
  const raws = new Set(rows.map(({ raw }) => raw));
  const kept = (JSON.parse(logged?.raws ?? '[]') as string[]).filter((raw) => !raws.has(raw));
  await writer.run('UPDATE blocks SET raws = ? WHERE number = ?', [JSON.stringify(kept), number]);
  for (const { id } of rows) await writer.run('UPDATE transactions SET block = NULL WHERE id = ?', [id]);
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
      const filler = await fillOne(writer, settlement, { raw: raws[index] ?? '', block: block.number });
      if (filler === undefined) continue;
      reasons.set(filler.hash, message);
      if (filler.raw !== undefined && !raws.includes(filler.raw)) made.push(filler.raw);
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
  { raw, block }: { readonly raw: string; readonly block: number },
): Promise<{ readonly hash: string; readonly raw?: string } | undefined> {
  const sql = `SELECT * FROM transactions WHERE raw = ? AND status = 'pending'`;
  const row = await writer.first<TransactionRow>(sql, [raw]);
  if (!row) return undefined;
  const filler = await settlement.release(writer, row, block);
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
  const payload = payloadOf(row.raw);
  // As much as it used, and a little more: code may see that it is asked again, and take its time.
  const gas = [payload.gas, 2n * BigInt(receipt.gasUsed) + REPLAY_GAS].reduce((a, b) => (a < b ? a : b));
  const again = await chain.call({ from: row.sender, ...payload, gas });
  const failure = again.ok ? { message: 'execution reverted', revertData: '0x' } : again;
  const { message, revertData } = failure;
  return { status: 'failed', message, revertData, receipt, timestamp };
}
