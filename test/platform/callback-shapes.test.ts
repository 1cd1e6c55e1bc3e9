import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { limitsOf } from '../../src/platform/admission/limits.js';
import { QUOTA_TABLES, Quotas } from '../../src/platform/admission/quotas.js';
import { createWallets, WALLET_TABLES } from '../../src/platform/chain/custody.js';
import { createLedger } from '../../src/platform/chain/ledger.js';
import { CHAIN_TABLES, type TransactionRow } from '../../src/platform/chain/ledger-tables.js';
import { Settlement, type Outcome } from '../../src/platform/chain/settlement.js';
import { createSigner } from '../../src/platform/chain/signer.js';
import { kekOf } from '../../src/platform/chain/vault.js';
import type { CallbackTarget } from '../../src/platform/chain/transactions.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

let folder: string;
let records: Records;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shapes-'));
  records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CHAIN_TABLES, WALLET_TABLES]);
});

afterEach(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

/** The callback body of a transaction that ends in a given way. */
async function callbackOf(shape: CallbackTarget['shape'], status: Outcome['status']): Promise<JsonObject> {
  const bodies: JsonObject[] = [];
  const delivery = {
    enqueue: async (_: unknown, { body }: { readonly body: JsonObject }) => {
      bodies.push(body);
    },
    fault: () => undefined,
  };
  const now = () => 0;
  const kek = kekOf(new Uint8Array(32));
  const wallets = createWallets({ kek, seed: undefined, now });
  const signer = createSigner(kek);
  const common = { chainId: 1, fees: () => ({ gasPrice: 0n, gasLimit: 21_000n }), wallets, signer, now };
  const settlement = new Settlement({ ...common, delivery });
  const ledger = createLedger({
    ...common,
    settlement,
    quotas: new Quotas(limitsOf({}, false)),
    wake: () => undefined,
  });
  await records.transact(async (writer) => {
    const { address } = await wallets.create(writer, { org: 'a', name: 'w', type: 'organisation' });
    const subject = { type: 'audit-contract', id: 1 };
    const callback = { url: 'http://127.0.0.1/', shape };
    const submission = { org: 'a', from: address, to: address, data: '0x', subject, callback };
    const { id } = await ledger.submit(writer, submission);
    const row = await writer.first<TransactionRow>('SELECT * FROM transactions WHERE id = ?', [id]);
    const end = { message: status === 'failed' ? 'why' : '', revertData: '0x', receipt: null, timestamp: '' };
    if (row) await settlement.settle(writer, row, { status, ...end });
  });
  expect(bodies).toHaveLength(1);
  return bodies[0] ?? {};
}

describe('the callback of an audit write', () => {
  it('stands at the top level on success and under result on failure', async () => {
    expect(await callbackOf('wrapped-failure', 'success')).toMatchObject({ status: 'success', nonce: 0 });
    expect(await callbackOf('wrapped-failure', 'failed')).toMatchObject({
      status: 200,
      result: { status: 'failed', message: 'why' },
    });
  });
});

describe('the callback of a certificate write', () => {
  it.each(['success', 'failed'] as const)('stands under result when it ends in %s', async (status) => {
    expect(await callbackOf('wrapped', status)).toMatchObject({ status: 200, result: { status } });
  });
});
