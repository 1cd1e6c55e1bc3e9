import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, property, string, uint8Array } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUOTA_TABLES } from '../../src/platform/admission/quotas.js';
import { createWallets, sealMissing, WALLET_TABLES } from '../../src/platform/chain/custody.js';
import { CHAIN_TABLES } from '../../src/platform/chain/ledger-tables.js';
import { checkKek, rotateKek } from '../../src/platform/chain/rotation.js';
import { createSigner } from '../../src/platform/chain/signer.js';
import { readSigned } from '../../src/platform/chain/signing.js';
import { kekOf, open, rewrap, seal } from '../../src/platform/chain/vault.js';
import { startPlatform } from '../../src/platform/platform.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import { ownKek } from '../../src/platform/state/own-kek.js';
import type { Records } from '../../src/platform/state/records.js';
import { clientOf, textAt } from './client.js';

const KEK = kekOf(new Uint8Array(32).fill(1));
const NEXT = kekOf(new Uint8Array(32).fill(2));

describe('a sealed secret', () => {
  it('opens with its key in its place, and nowhere else', () => {
    assert(
      property(uint8Array({ minLength: 1, maxLength: 64 }), string(), string(), (secret, place, other) => {
        const held = seal(KEK, secret, place);
        expect(new Uint8Array(open(KEK, held, place))).toEqual(secret);
        expect(() => open(NEXT, held, place)).toThrow(/cannot be decrypted/);
        expect(() => open(NEXT, { ...held, kek: NEXT.id }, place)).toThrow(/cannot be decrypted/);
        if (other !== place) expect(() => open(KEK, held, other)).toThrow(/cannot be decrypted/);
      }),
      { numRuns: 50 },
    );
  });

  it('does not open once a single bit of it is changed', () => {
    const held = seal(KEK, randomBytes(32), 'here');
    for (const field of ['wrapped', 'sealed'] as const) {
      const bytes = Buffer.from(held[field], 'base64');
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(() => open(KEK, { ...held, [field]: changed.toString('base64') }, 'here')).toThrow();
      }
    }
  });

  it('is wrapped anew without being decrypted, and then opens with the new key only', () => {
    const secret = randomBytes(32);
    const held = seal(KEK, secret, 'here');
    const moved = rewrap(KEK, NEXT, held, 'here');
    expect(moved.sealed).toBe(held.sealed);
    expect(open(NEXT, moved, 'here')).toEqual(secret);
    expect(() => open(KEK, moved, 'here')).toThrow();
    expect(() => rewrap(NEXT, KEK, held, 'here')).toThrow();
  });

  it('has a key of 32 bytes, in hex or base64, whose name does not tell it', () => {
    const bytes = randomBytes(32);
    const named = [
      bytes,
      bytes.toString('hex'),
      `0x${bytes.toString('hex')}\n`,
      bytes.toString('base64'),
    ].map(kekOf);
    expect(new Set(named.map(({ id }) => id)).size).toBe(1);
    expect(bytes.toString('hex')).not.toContain(named[0]?.id);
    for (const wrong of ['', 'secret', bytes.toString('hex').slice(1), randomBytes(31)])
      expect(() => kekOf(wrong)).toThrow(RangeError);
  });
});

describe('custodial keys', () => {
  let folder: string;
  let records: Records;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CHAIN_TABLES, WALLET_TABLES]);
  });
  afterEach(async () => {
    await records.close();
    await rm(folder, { recursive: true });
  });

  const UNSIGNED = { chainId: 1, nonce: 0, to: null, data: '0x', value: 0n, gasPrice: 0n, gasLimit: 1n };
  const wallets = createWallets({ kek: KEK, seed: undefined, now: () => 0 });
  const make = async (org: string): Promise<string> =>
    (await records.transact((writer) => wallets.create(writer, { org, name: 'w', type: 'end_user' })))
      .address;

  it('sign for their own address, before and after a rotation', async () => {
    const address = await make('a');
    await checkKek(records, KEK);
    const before = await createSigner(KEK).sign(records, address, UNSIGNED);
    expect(readSigned(before?.raw ?? '').sender).toBe(address);
    expect(await rotateKek(records, KEK, NEXT)).toBe(1);
    const after = await createSigner(NEXT).sign(records, address, UNSIGNED);
    expect(readSigned(after?.raw ?? '').sender).toBe(address);
    await expect(createSigner(KEK).sign(records, address, UNSIGNED)).rejects.toThrow(/cannot be decrypted/);
    await expect(checkKek(records, KEK)).rejects.toMatchObject({ name: 'KekMismatch' });
    await expect(rotateKek(records, KEK, NEXT)).rejects.toMatchObject({ name: 'KekMismatch' });
    await checkKek(records, NEXT);
  });

  it('sign for nobody else when their rows are exchanged', async () => {
    const [one, two] = [await make('a'), await make('b')];
    await records.transact(async (writer) => {
      const rows = await writer.all<{ wallet_id: number; wrapped: string; sealed: string }>(
        'SELECT * FROM wallet_keys',
      );
      const sql = 'UPDATE wallet_keys SET wrapped = ?, sealed = ? WHERE wallet_id = ?';
      for (const [index, row] of rows.entries()) {
        const from = rows[1 - index]!;
        await writer.run(sql, [from.wrapped, from.sealed, row.wallet_id]);
      }
    });
    for (const address of [one, two])
      await expect(createSigner(KEK).sign(records, address, UNSIGNED)).rejects.toThrow(/cannot be decrypted/);
  });

  it('that are missing and cannot be made again stop the start', async () => {
    await make('a');
    await records.transact((writer) => writer.run('DELETE FROM wallet_keys'));
    const custody = { kek: KEK, seed: undefined, now: () => 0 };
    await expect(records.transact((writer) => sealMissing(writer, custody))).rejects.toThrow(/is missing/);
  });

  it('are wrapped with a key from outside in production', () => {
    expect(() => ownKek(folder, true)).toThrow(/production/);
    expect(ownKek(folder, false)).toEqual(ownKek(folder, false));
  });
});

describe('the data folder of a hosted platform', () => {
  it('holds no private key in the clear, and opens with its key-encryption key only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-'));
    const options = { dataDir: folder, cacheDir: folder, host: '0.0.0.0' };
    const kek = randomBytes(32);
    const platform = await startPlatform({ ...options, kek });
    const api = clientOf(platform.apiUrl, await platform.createKey('first'));
    const { body } = await api.post('/_platform/wallets', { name: 'deployer' });
    const trail = { name: 'n', field: { encrypt_data: false } };
    expect((await api.post('/api/audit/contracts', trail)).status).toBe(200);
    await platform.stop();
    const records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES]);
    const signed = await createSigner(kekOf(kek)).sign(records, textAt(body, 'result.address'), {
      chainId: 1,
      nonce: 0,
      to: null,
      data: '0x',
      value: 0n,
      gasPrice: 0n,
      gasLimit: 1n,
    });
    expect(readSigned(signed?.raw ?? '').sender).toBe(textAt(body, 'result.address'));
    await records.close();
    const names = await readdir(folder);
    expect(names).not.toContain('key-encryption.key');
    for (const name of names.filter((one) => /^(identity|records)/.test(one))) {
      const bytes = await readFile(join(folder, name));
      expect(bytes.includes(kek) || bytes.toString('latin1').includes(kek.toString('hex'))).toBe(false);
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    }
    await expect(startPlatform(options)).rejects.toMatchObject({ name: 'KekMismatch' });
    await (await startPlatform({ ...options, kek: kek.toString('hex') })).stop();
    await rm(folder, { recursive: true });
  });
});
