import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportPlatform, importPlatform } from '../../src/platform/archive.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import { rotatePlatformKey } from '../../src/platform/rotate.js';
import { openStore } from '../../src/platform/store.js';
import { testDatabase } from '../support/test-database.js';
import { at, clientOf, textAt } from './client.js';

const BOB = { name: 'Bob Lee', email: 'bob.canary@example.com', ic: '880202-10-4321', phone: '+60123456789' };
const SECRETS = [BOB.email, BOB.ic, BOB.phone];

type Place = Awaited<ReturnType<typeof place>>;

let folder: string;
let running: Platform | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'people-'));
});
afterEach(async () => {
  await running?.stop();
  await rm(folder, { recursive: true });
});

async function place(name = 'data') {
  return { dataDir: join(folder, name), database: undefined, ...(await testDatabase()) };
}

async function start({ dataDir, database }: Place, kek?: string): Promise<Platform> {
  const options = { dataDir, cacheDir: join(folder, 'cache'), ...(database && { database }) };
  running = await startPlatform({ ...options, ...(kek !== undefined && { kek }) });
  return running;
}

async function stop(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** Starts, makes the wallet of a person, and stops. */
async function withBob(where: Place): Promise<string> {
  const { apiUrl, apiKey } = await start(where);
  const made = await clientOf(apiUrl, apiKey!).post('/api/wallet/create-user', BOB);
  await stop();
  return textAt(made.body, 'result.wallet.wallet_address');
}

/** What the console of a running platform shows of the person behind a wallet. */
async function revealed({ apiUrl, apiKey }: Platform, address: string): Promise<unknown> {
  const answer = await clientOf(apiUrl, apiKey!).post(`/_platform/console/wallets/${address}/reveal`, {});
  return { status: answer.status, shown: at(answer.body, 'result') };
}

/** Everything that the records hold, and every byte of the data folder. */
async function allOf(where: Place): Promise<string> {
  const archive = join(folder, 'looked-at.gz');
  await exportPlatform(where, archive);
  const texts = [gunzipSync(await readFile(archive)).toString('latin1')];
  await rm(archive);
  for (const entry of await readdir(where.dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) texts.push((await readFile(join(entry.parentPath, entry.name))).toString('latin1'));
  }
  return texts.join('\n');
}

async function expectSealed(where: Place): Promise<void> {
  const all = await allOf(where);
  expect(all).toContain('wallet_people');
  for (const secret of SECRETS) expect(all).not.toContain(secret);
}

const SHOWN = { status: 200, shown: { name: BOB.name, email: BOB.email, phone: BOB.phone } };

describe('who a wallet belongs to', { timeout: 120_000 }, () => {
  it('is sealed wherever the platform keeps it, and shown where the console is asked', async () => {
    const where = await place();
    const address = await withBob(where);
    await expectSealed(where);
    const platform = await start(where);
    expect(await revealed(platform, address)).toEqual(SHOWN);
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const { body } = await api.post('/_platform/keys', {
      name: 'second',
      organisation: 'org-2',
      scopes: 'read,write,operate',
    });
    const other = {
      client_id: textAt(body, 'result.client_id'),
      client_secret: textAt(body, 'result.client_secret'),
    };
    const foreign = await clientOf(platform.apiUrl, other).post(
      `/_platform/console/wallets/${address}/reveal`,
      {},
    );
    expect(foreign.status).toBe(404);
  });

  it('is sealed at the next start where an earlier release kept it in plain text, and leaves no trace in the files', async () => {
    const where = await place();
    const address = await withBob(where);
    const records = await openStore(where);
    await records.transact(async (writer) => {
      const wallet = await writer.first<{ wallet_id: number; org: string }>(
        'SELECT p.wallet_id, w.org FROM wallet_people p JOIN wallets w ON w.id = p.wallet_id',
      );
      await writer.run('DELETE FROM wallet_people');
      await writer.run(
        'INSERT INTO wallet_users (wallet_id, org, name, email, ic, phone, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        [wallet?.wallet_id ?? 0, wallet?.org ?? '', BOB.name, ...SECRETS, ''],
      );
    });
    await records.close();
    expect(await allOf(where)).toContain(BOB.ic);
    expect(await revealed(await start(where), address)).toEqual(SHOWN);
    await stop();
    await expectSealed(where);
  });

  it('opens with the new key-encryption key only once that was changed', async () => {
    const where = await place();
    const address = await withBob(where);
    const to = join(folder, 'new.key');
    // Ten wallets that every folder begins with, one more, and its person.
    expect(await rotatePlatformKey(where, { from: undefined, to })).toBe(12);
    await expect(start(where, '1f'.repeat(32))).rejects.toMatchObject({ name: 'KekMismatch' });
    expect(await revealed(await start(where, await readFile(to, 'utf8')), address)).toEqual(SHOWN);
  });

  it('opens for nobody else when the rows of two people are exchanged', async () => {
    const where = await place();
    const address = await withBob(where);
    const { apiUrl, apiKey } = await start(where);
    await clientOf(apiUrl, apiKey!).post('/api/wallet/create-user', { ...BOB, name: 'Eve' });
    await stop();
    const records = await openStore(where);
    await records.transact(async (writer) => {
      const rows = await writer.all<{ wallet_id: number; wrapped: string; sealed: string }>(
        'SELECT * FROM wallet_people',
      );
      const sql = 'UPDATE wallet_people SET wrapped = ?, sealed = ? WHERE wallet_id = ?';
      for (const [index, { wallet_id }] of rows.entries()) {
        const other = rows[1 - index];
        await writer.run(sql, [other?.wrapped ?? '', other?.sealed ?? '', wallet_id]);
      }
    });
    await records.close();
    running = await startPlatform({
      dataDir: where.dataDir,
      cacheDir: join(folder, 'cache'),
      failed: () => undefined,
      ...(where.database && { database: where.database }),
    });
    expect(await revealed(running, address)).toMatchObject({ status: 500 });
  });

  it('moves with the platform, which starts elsewhere with the key that sealed it and no other', async () => {
    const [from, to] = [await place('from'), await place('to')];
    const address = await withBob(from);
    const archive = join(folder, 'moved.gz');
    await exportPlatform(from, archive);
    const { kek } = await importPlatform(to, archive);
    await expect(start(to)).rejects.toMatchObject({
      name: 'KekMismatch',
      message: expect.stringContaining(kek ?? 'none') as string,
    });
    await copyFile(join(from.dataDir, 'key-encryption.key'), join(to.dataDir, 'key-encryption.key'));
    expect(await revealed(await start(to), address)).toEqual(SHOWN);
    expect(at((await clientOf(running!.apiUrl, running!.apiKey!).get('/health')).body, 'status')).toBe('ok');
  });

  it('holds nobody to a key while there is nobody: a trial starts from its archive with a key of its own', async () => {
    const [from, to] = [await place('from'), await place('to')];
    await start(from);
    await stop();
    const archive = join(folder, 'trial.gz');
    await exportPlatform(from, archive);
    expect((await importPlatform(to, archive)).kek).toBeUndefined();
    expect((await start(to)).wallets).toHaveLength(10);
  });
});
