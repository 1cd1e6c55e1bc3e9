import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUOTA_TABLES } from '../../src/platform/admission/quotas.js';
import type { BlockDriver } from '../../src/platform/chain/block-driver.js';
import { openEmbeddedChain, type EmbeddedChain } from '../../src/platform/chain/embedded.js';
import { CHAIN_TABLES, type TransactionRow } from '../../src/platform/chain/ledger-tables.js';
import { createMiner } from '../../src/platform/chain/miner.js';
import { chainOver } from '../../src/platform/chain/rpc.js';
import { Settlement } from '../../src/platform/chain/settlement.js';
import { readSigned } from '../../src/platform/chain/signing.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

const CHAIN_ID = 31_337;
const MOST = 100_000_000;
const accountOf = (digit: string) => privateKeyToAccount(`0x${digit.repeat(64)}`);

/** Init code that loops until its gas has ended. */
const ENDLESS = '0x5b600056';

let folder: string;
let records: Records;
let node: EmbeddedChain;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gas-'));
  records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CHAIN_TABLES]);
  node = await open();
});
afterEach(async () => {
  await node.close();
  await records.close();
  await rm(folder, { recursive: true });
});

const open = () => openEmbeddedChain(folder, records, { chainId: CHAIN_ID, fundDevelopmentAccounts: false });

/** The node goes on from the first block, as its log has it. */
async function replayed(): Promise<void> {
  await node.close();
  for (const name of await readdir(folder)) {
    if (!/^(records|cache)/.test(name)) await rm(join(folder, name), { recursive: true });
  }
  node = await open();
}

function miner(): BlockDriver {
  const now = () => 1_800_000_000_000;
  const signer = { sign: async () => undefined };
  const delivery = { enqueue: async () => undefined, fault: () => undefined };
  const fees = () => ({ gasPrice: 0n, gasLimit: 16_000_000n });
  return createMiner({
    rpc: node.rpc,
    chain: chainOver(node.rpc, { chainId: CHAIN_ID, rpcUrl: '', mostGas: undefined }),
    records,
    settlement: new Settlement({ chainId: CHAIN_ID, fees, signer, delivery, now }),
    now,
    mined: async () => undefined,
  });
}

interface Sent {
  readonly org: string;
  readonly from: ReturnType<typeof accountOf>;
  readonly nonce: number;
  readonly gas: bigint;
  readonly data?: Hex;
}

/** Records a transaction as the ledger does: a creation when it has data, else one to its sender. */
async function submit({ org, from, nonce, gas, data }: Sent): Promise<void> {
  const what = data === undefined ? { to: from.address } : { data };
  const signing = { gas, gasPrice: 0n, type: 'legacy', chainId: CHAIN_ID, nonce, ...what } as const;
  const { raw, hash } = readSigned(await from.signTransaction(signing));
  const sql = `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, custodial, subject_type, subject_id,
    created_at) VALUES (?, ?, ?, ?, ?, ?, 0, 'external', 0, '')`;
  const args = [org, hash, from.address.toLowerCase(), nonce, data === undefined ? from.address : null, raw];
  await records.transact((writer) => writer.run(sql, args));
}

async function settle(driver: BlockDriver): Promise<void> {
  for (let round = 0; round < 100; round += 1) if ((await driver.round()) === 'idle') return;
  throw new Error('transactions are left over');
}

const all = () => records.all<TransactionRow>('SELECT * FROM transactions ORDER BY id');

async function block(number: number) {
  return (await node.rpc.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
    readonly gasUsed: string;
    readonly gasLimit: string;
    readonly transactions: readonly string[];
  };
}

describe('a block of the embedded chain', { timeout: 120_000 }, () => {
  it('has a budget of gas, so that endless code of one organisation holds up no other', async () => {
    const [busy, quiet] = [accountOf('6'), accountOf('7')];
    for (let nonce = 0; nonce < 30; nonce += 1)
      await submit({ org: 'busy', from: busy, nonce, gas: 16_000_000n, data: ENDLESS });
    await submit({ org: 'quiet', from: quiet, nonce: 0, gas: 16_000_000n });
    const driver = miner();
    await driver.recover();
    await driver.round();
    const first = await all();
    expect(first.at(-1)).toMatchObject({ status: 'success', block: 1 });
    expect(first.filter(({ status }) => status === 'pending')).not.toHaveLength(0);
    await settle(driver);

    const rows = (await all()).slice(0, 30);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['failed']));
    expect(rows.every(({ receipt }) => receipt !== null)).toBe(true);
    const blocks = rows.map((row) => row.block ?? 0);
    expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
    for (const number of new Set(blocks)) {
      const { gasUsed, gasLimit } = await block(number);
      expect(Number(gasLimit)).toBe(MOST);
      expect(Number(gasUsed)).toBeLessThanOrEqual(MOST);
    }
    expect(blocks.at(-1)).toBeGreaterThanOrEqual(5);
  });

  it('comes out the same when the log is replayed, and what is postponed is in one block only', async () => {
    const from = accountOf('8');
    for (let nonce = 0; nonce < 12; nonce += 1)
      await submit({ org: 'o', from, nonce, gas: 16_000_000n, ...(nonce % 3 !== 0 && { data: ENDLESS }) });
    await settle(miner());
    const hashes = await records.all('SELECT number, hash FROM blocks ORDER BY number');
    const raws = (await records.all<{ raws: string }>('SELECT raws FROM blocks')).flatMap(
      ({ raws: text }) => JSON.parse(text) as string[],
    );
    expect(raws).toHaveLength(12);
    expect(new Set(raws).size).toBe(12);
    await replayed();
    expect(Number(await node.rpc.request('eth_blockNumber', []))).toBe(hashes.length);
  });

  it('has no budget in the log of an earlier release, which is replayed as it was, and has one from then on', async () => {
    const from = accountOf('9');
    await records.transact((writer) => writer.run('DELETE FROM meta'));
    await node.rpc.request('evm_setBlockGasLimit', ['0xe8d4a51000']);
    await submit({ org: 'o', from, nonce: 0, gas: 21_000n });
    await settle(miner());
    expect(Number((await block(1)).gasLimit)).toBe(1e12);
    await replayed();
    await submit({ org: 'o', from, nonce: 1, gas: 21_000n });
    await settle(miner());
    expect(Number((await block(2)).gasLimit)).toBe(MOST);
    await replayed();
    expect([Number((await block(1)).gasLimit), Number((await block(2)).gasLimit)]).toEqual([1e12, MOST]);
  });

  it('takes what one address signs for two organisations in the order of its nonces', async () => {
    const from = accountOf('a');
    for (let nonce = 0; nonce < 8; nonce += 1)
      await submit({ org: nonce % 3 === 0 ? 'z' : 'a', from, nonce, gas: 21_000n });
    await settle(miner());
    expect((await all()).map(({ status }) => status)).toEqual(Array<string>(8).fill('success'));
  });
});

describe('the log of the embedded chain', { timeout: 120_000 }, () => {
  it('is replayed once: what a start has replayed, the next one finds saved', async () => {
    const from = accountOf('b');
    const driver = miner();
    await driver.recover();
    for (let nonce = 0; nonce < 25; nonce += 1) {
      await submit({ org: 'o', from, nonce, gas: 21_000n });
      await driver.round();
    }
    const saved = async () => (await readdir(folder)).filter((name) => name.startsWith('state-'));
    expect(await saved()).toEqual([]);
    // As after a crash: the node that stands at block 25 is left, and another one begins.
    const left = node;
    node = await open();
    expect(await saved()).toEqual(['state-25.json']);
    await left.close();
    await node.close();
    await records.transact((writer) => writer.run("UPDATE blocks SET raws = 'unreadable' WHERE number < 25"));
    node = await open();
    expect(Number(await node.rpc.request('eth_blockNumber', []))).toBe(25);
  });
});
