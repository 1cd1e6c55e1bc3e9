import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUOTA_TABLES } from '../../src/platform/admission/quotas.js';
import { CHAIN_TABLES, type TransactionRow } from '../../src/platform/chain/ledger-tables.js';
import { openEmbeddedChain, type EmbeddedChain } from '../../src/platform/chain/embedded.js';
import { createMiner } from '../../src/platform/chain/miner.js';
import { chainOver } from '../../src/platform/chain/rpc.js';
import { Settlement } from '../../src/platform/chain/settlement.js';
import { readSigned } from '../../src/platform/chain/signing.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

const CHAIN_ID = 31_337;
const SENDER = privateKeyToAccount(`0x${'6'.repeat(64)}`);

let folder: string;
let records: Records;
let node: EmbeddedChain;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'torn-'));
  records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CHAIN_TABLES]);
  node = await openEmbeddedChain(folder, records, { chainId: CHAIN_ID, fundDevelopmentAccounts: false });
});
afterAll(async () => {
  await node.close();
  await records.close();
  await rm(folder, { recursive: true });
});

/** Records a transaction of the sender to itself, as the ledger does. */
async function submit(nonce: number): Promise<void> {
  const gas = { gas: 21_000n, gasPrice: 0n, type: 'legacy', chainId: CHAIN_ID } as const;
  const { raw, hash } = readSigned(await SENDER.signTransaction({ ...gas, to: SENDER.address, nonce }));
  const sql = `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, custodial, subject_type, subject_id,
    created_at) VALUES ('org-1', ?, ?, ?, ?, ?, 0, 'external', 0, '')`;
  const sender = SENDER.address.toLowerCase();
  await records.transact((writer) => writer.run(sql, [hash, sender, nonce, SENDER.address, raw]));
}

it('a block that was mined and not recorded is recorded before anything goes on it, and mined once', async () => {
  let isDiskFull = false;
  let logged = 0;
  // The first transaction of a round writes the block log; the second, after mining, how everything ended.
  const failing: Records = {
    ...records,
    transact: (fn) => {
      logged += 1;
      return isDiskFull && logged % 2 === 0 ? Promise.reject(new Error('disk full')) : records.transact(fn);
    },
  };
  const signer = { sign: async () => undefined };
  const delivery = { enqueue: async () => undefined, fault: () => undefined };
  const fees = () => ({ gasPrice: 0n, gasLimit: 16_000_000n });
  const now = () => 1_800_000_000_000;
  const miner = createMiner({
    rpc: node.rpc,
    chain: chainOver(node.rpc, { chainId: CHAIN_ID, rpcUrl: '', mostGas: undefined }),
    records: failing,
    settlement: new Settlement({ chainId: CHAIN_ID, fees, signer, delivery, now }),
    now,
    mined: async () => undefined,
  });
  await miner.recover();
  await submit(0);
  isDiskFull = true;
  await expect(miner.round()).rejects.toThrow('disk full');
  await submit(1);
  isDiskFull = false;
  await miner.round();
  const rows = await records.all<TransactionRow>('SELECT * FROM transactions ORDER BY id');
  expect(rows.map(({ status, block }) => [status, block])).toEqual([
    ['success', 1],
    ['success', 2],
  ]);
  expect(await node.rpc.request('eth_blockNumber', [])).toBe('0x2');
  expect(await records.all('SELECT number FROM blocks WHERE hash IS NULL')).toEqual([]);
});
