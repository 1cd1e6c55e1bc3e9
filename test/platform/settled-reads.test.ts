import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN_TABLES } from '../../src/platform/chain/ledger-tables.js';
import { FILLER } from '../../src/platform/chain/settlement.js';
import { untilSettled } from '../../src/platform/server/settled.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';
import { SETTLED } from '../../src/protocol/settled.js';

let folder: string;
let records: Records;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settled-'));
  records = openRecords(join(folder, 'records.db'), [CHAIN_TABLES]);
});
afterEach(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

async function pending(subject: string): Promise<void> {
  const sql = `INSERT INTO transactions (org, hash, sender, nonce, raw, custodial, subject_type, subject_id, created_at)
    VALUES ('org-1', ?, '0xa', 0, '0x', 1, ?, 0, '')`;
  await records.transact((writer) => writer.run(sql, [subject, subject]));
}

const settledNow = () => untilSettled(records, 'org-1', { [SETTLED]: '1' });

describe('a read of what is settled', () => {
  it('does not wait for what only uses up a nonce', async () => {
    await pending(FILLER);
    await expect(settledNow()).resolves.toBeUndefined();
  });

  it('waits for a write, and says so when that takes too long', async () => {
    await pending('certificate');
    await expect(settledNow()).rejects.toMatchObject({ status: 503 });
  }, 20_000);
});
