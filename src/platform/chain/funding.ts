import { addr } from 'micro-eth-signer';
import type { Records } from '../state/records.js';
import type { Fees } from './ledger.js';
import { quantity } from './receipts.js';
import type { Rpc } from './rpc.js';
import type { Transactions } from './transactions.js';
import type { Wallets } from './wallets.js';

/** Organisation of the wallet that pays; nobody has a key of it. */
const PAYER = 'funding';

/** Pays for the gas of custodial wallets on a chain where gas is not free. */
export interface Funding {
  /**
   * Those of these senders that cannot pay for what they send yet. For each of them a transfer is on its way when this
   * answers, unless the payer itself cannot pay.
   */
  withheld(senders: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What funding needs. */
export interface FundingParts {
  readonly rpc: Rpc;
  readonly records: Records;
  readonly wallets: Wallets;
  readonly transactions: Transactions;
  readonly fees: () => Fees;
  /** Private key of the payer, 32 bytes. */
  readonly key: Uint8Array;
  /** Balance below which a wallet is filled up to twice as much, in wei. */
  readonly floor: bigint;
  /** Told when the payer cannot pay. */
  readonly failed: (cause: unknown) => void;
}

/** Takes the payer's key into custody and begins to watch over balances. */
export async function openFunding(parts: FundingParts): Promise<Funding> {
  const payer = addr.fromPrivateKey(parts.key);
  const about = { org: PAYER, name: 'payer of gas', type: 'system' } as const;
  await parts.records.transact(async (writer) => {
    if (await parts.wallets.find(writer, PAYER, payer)) return;
    await parts.wallets.create(writer, { ...about, key: parts.key });
  });
  return {
    withheld: async (senders) => {
      const poor = new Set<string>();
      if (parts.fees().gasPrice === 0n) return poor;
      for (const sender of new Set(senders)) {
        if (sender === payer.toLowerCase() || !(await isCustodial(parts.records, sender))) continue;
        if ((await balanceOf(parts.rpc, sender)) >= parts.floor) continue;
        poor.add(sender);
        await fill(parts, payer, sender);
      }
      return poor;
    },
  };
}

async function fill(parts: FundingParts, payer: string, sender: string): Promise<void> {
  const { rpc, records, transactions, floor, fees } = parts;
  const value = floor * 2n;
  const { gasPrice, gasLimit } = fees();
  if ((await balanceOf(rpc, payer)) < value + gasPrice * gasLimit) {
    parts.failed(new Error(`the payer of gas ${payer} cannot pay for ${sender}`));
    return;
  }
  await records.transact(async (writer) => {
    const sql = `SELECT id FROM transactions WHERE subject_type = 'funding' AND recipient = ? AND status = 'pending'`;
    const to = addr.addChecksum(sender);
    if (await writer.first(sql, [to])) return;
    const subject = { type: 'funding', id: 0 };
    await transactions.submit(writer, { org: PAYER, from: payer, to, data: '0x', value, subject });
  });
}

async function isCustodial(records: Records, sender: string): Promise<boolean> {
  return (await records.first('SELECT id FROM wallets WHERE address_key = ?', [sender])) !== undefined;
}

async function balanceOf(rpc: Rpc, address: string): Promise<bigint> {
  const balance = await rpc.request('eth_getBalance', [address, 'latest']);
  return typeof balance === 'string' ? BigInt(balance) : BigInt(quantity(balance));
}
