import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN_TABLES } from '../../src/platform/chain/ledger-tables.js';
import { freshPatience, shownReceipt } from '../../src/platform/chain/shown-receipt.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

const HASH = `0x${'a1'.repeat(32)}`;
const RECEIPT = { transactionHash: HASH, status: '0x1' };

let folder: string;
let records: Records;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receipt-'));
  records = openRecords(join(folder, 'records.db'), [CHAIN_TABLES]);
});
afterEach(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

const set = (sql: string): Promise<void> => records.transact(async (writer) => void (await writer.run(sql)));

describe('the receipt of a transaction of the platform', () => {
  it('is held back until its outcome is recorded', async () => {
    await set(`INSERT INTO transactions (org, hash, sender, nonce, raw, custodial, subject_type, subject_id, created_at)
      VALUES ('org-1', '${HASH}', '0x1', 0, '0x', 1, 'certificate', 1, '')`);
    let isRecorded = false;
    const shown = shownReceipt(records, RECEIPT).then((receipt) => ({ receipt, isRecorded }));
    await pause(100);
    isRecorded = true;
    await set(`UPDATE transactions SET status = 'success'`);
    expect(await shown).toEqual({ receipt: RECEIPT, isRecorded: true });
  });

  it('is not held back for ever', async () => {
    await set(`INSERT INTO transactions (org, hash, sender, nonce, raw, custodial, subject_type, subject_id, created_at)
      VALUES ('org-1', '${HASH}', '0x1', 0, '0x', 1, 'certificate', 1, '')`);
    expect(await shownReceipt(records, RECEIPT)).toBe(RECEIPT);
  });

  it('is held back no longer when others of the same request used up the patience', async () => {
    await set(`INSERT INTO transactions (org, hash, sender, nonce, raw, custodial, subject_type, subject_id, created_at)
      VALUES ('org-1', '${HASH}', '0x1', 0, '0x', 1, 'certificate', 1, '')`);
    const patience = freshPatience();
    await shownReceipt(records, RECEIPT, patience);
    expect(patience.leftMs).toBe(0);
    await records.close();
    // Not even looked for: these records would refuse to answer.
    expect(await shownReceipt(records, RECEIPT, patience)).toBe(RECEIPT);
  });

  it('is shown as the node has it when it is none of the platform, or there is none', async () => {
    expect(await shownReceipt(records, RECEIPT)).toBe(RECEIPT);
    expect(await shownReceipt(records, null)).toBeNull();
  });
});
