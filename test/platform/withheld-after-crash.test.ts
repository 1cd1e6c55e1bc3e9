import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QUOTA_TABLES } from '../../src/platform/admission/quotas.js';
import { openEmbeddedChain, type EmbeddedChain } from '../../src/platform/chain/embedded.js';
import { CHAIN_TABLES, type TransactionRow } from '../../src/platform/chain/ledger-tables.js';
import { createMiner } from '../../src/platform/chain/miner.js';
import { setNonce, nextNonce } from '../../src/platform/chain/nonces.js';
import { chainOver } from '../../src/platform/chain/rpc.js';
import { Settlement } from '../../src/platform/chain/settlement.js';
import { readSigned, signTransaction } from '../../src/platform/chain/signing.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

const CHAIN_ID = 31_337;
const KEYS = { kept: '8a'.repeat(32), foreign: '8b'.repeat(32) } as const;
const ACCOUNTS = {
  kept: privateKeyToAccount(`0x${KEYS.kept}`),
  foreign: privateKeyToAccount(`0x${KEYS.foreign}`),
} as const;

/** Init code that the chain runs, reverts, or does not even take because it is too long. */
const CODES = { runs: '0x00', reverts: '0x60006000fd', refused: `0x${'00'.repeat(50_000)}` } as const;

type Code = keyof typeof CODES;

/** Transactions of one request. */
interface Group {
  readonly by: keyof typeof ACCOUNTS;
  readonly codes: readonly Code[];
}

/** What happens to one commit of the miner: it is lost, or it is the last thing before the process ends. */
type Fate = 'kept' | 'lost' | 'killed before' | 'killed after';

let folder: string;
let records: Records;
let node: EmbeddedChain;
const open = () => openEmbeddedChain(folder, records, { chainId: CHAIN_ID, fundDevelopmentAccounts: false });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'withheld-'));
  records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CHAIN_TABLES]);
  node = await open();
});
afterEach(async () => {
  await node.close();
  await records.close();
  await rm(folder, { recursive: true });
});

/** The node goes on from its first block, as the log has it. @throws ChainMismatch when they disagree */
async function replayed(): Promise<void> {
  await node.close();
  for (const name of await readdir(folder)) {
    if (!/^(records|cache)/.test(name)) await rm(join(folder, name), { recursive: true });
  }
  node = await open();
}

/** Records the transactions of a request as the ledger does. */
async function submit({ by, codes }: Group, group: string): Promise<void> {
  const account = ACCOUNTS[by];
  await records.transact(async (writer) => {
    for (const code of codes) {
      const nonce = await nextNonce(writer, account.address);
      const data: Hex = CODES[code];
      const fields = {
        gas: 16_000_000n,
        gasPrice: 0n,
        type: 'legacy',
        chainId: CHAIN_ID,
        nonce,
        data,
      } as const;
      const { raw, hash } = readSigned(await account.signTransaction(fields));
      const sql = `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, custodial, subject_type,
        subject_id, group_id, created_at) VALUES ('org-1', ?, ?, ?, NULL, ?, ?, 'external', 0, ?, '')`;
      const sender = account.address.toLowerCase();
      await writer.run(sql, [hash, sender, nonce, raw, by === 'kept' ? 1 : 0, group]);
      await setNonce(writer, account.address, nonce + 1);
    }
  });
}

function minerOver(torn: Records) {
  const now = () => 1_800_000_000_000;
  const fees = () => ({ gasPrice: 0n, gasLimit: 16_000_000n });
  const signer = {
    sign: async (_: unknown, address: string, unsigned: Parameters<typeof signTransaction>[0]) =>
      address.toLowerCase() === ACCOUNTS.kept.address.toLowerCase()
        ? signTransaction(unsigned, Buffer.from(KEYS.kept, 'hex'))
        : undefined,
  };
  const delivery = { enqueue: async () => undefined, fault: () => undefined };
  return createMiner({
    rpc: node.rpc,
    chain: chainOver(node.rpc, { chainId: CHAIN_ID, rpcUrl: '', mostGas: undefined }),
    records: torn,
    settlement: new Settlement({ chainId: CHAIN_ID, fees, signer, delivery, now }),
    now,
    mined: async () => undefined,
  });
}

/** Drives the miner until nothing is left, through all that befalls its commits. */
async function drive(fates: readonly Fate[]): Promise<void> {
  let at = 0;
  let isKilled = false;
  const torn: Records = {
    ...records,
    transact: async (fn) => {
      const fate = fates[at++] ?? 'kept';
      isKilled = fate.startsWith('killed');
      if (fate === 'lost' || fate === 'killed before') throw new Error(fate);
      const value = await records.transact(fn);
      if (isKilled) throw new Error(fate);
      return value;
    },
  };
  let miner = minerOver(torn);
  for (let round = 0; round < 200; round += 1) {
    const state = await miner.round().catch(async () => {
      if (!isKilled) return 'torn';
      await replayed();
      miner = minerOver(torn);
      return 'killed';
    });
    if (state === 'idle') return;
  }
  throw new Error('the miner does not come to rest');
}

const GROUPS = fc.array(
  fc.record<Group>({
    by: fc.constantFrom('kept', 'foreign'),
    codes: fc.array(fc.constantFrom<Code>('runs', 'runs', 'reverts', 'refused'), {
      minLength: 1,
      maxLength: 5,
    }),
  }),
  { minLength: 1, maxLength: 5 },
);
const FATES = fc.array(fc.constantFrom<Fate>('kept', 'kept', 'lost', 'killed before', 'killed after'), {
  maxLength: 8,
});

it('requests that fail anywhere leave nothing pending and no gap, whenever the platform is killed', async () => {
  let made = 0;
  const law = fc.asyncProperty(GROUPS, FATES, async (groups, fates) => {
    for (const group of groups) await submit(group, `group ${String((made += 1))}`);
    await drive(fates);
    const left = await records.all<TransactionRow>(`SELECT * FROM transactions WHERE status = 'pending'`);
    expect(left).toEqual([]);
    for (const { address } of Object.values(ACCOUNTS)) {
      const onChain = Number(await node.rpc.request('eth_getTransactionCount', [address, 'latest']));
      expect(await records.transact((writer) => nextNonce(writer, address))).toBe(onChain);
      const mined = await records.all<{ nonce: number }>(
        'SELECT nonce FROM transactions WHERE sender = ? AND receipt IS NOT NULL ORDER BY nonce',
        [address.toLowerCase()],
      );
      expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: onChain }, (_, nonce) => nonce));
    }
    const later: Group[] = [
      { by: 'kept', codes: ['runs'] },
      { by: 'foreign', codes: ['runs'] },
    ];
    for (const group of later) await submit(group, `group ${String((made += 1))}`);
    await drive([]);
    const newest = await records.all<{ status: string }>(
      `SELECT status FROM transactions WHERE group_id IN ('group ${String(made)}', 'group ${String(made - 1)}')`,
    );
    expect(newest.map(({ status }) => status)).toEqual(['success', 'success']);
  });
  await fc.assert(law, { numRuns: 15, endOnFailure: true });
  // The log of blocks gives the same chain once more: no transaction got onto it that the log does not have.
  await replayed();
}, 120_000);
