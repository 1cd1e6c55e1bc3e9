import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { open, rm, truncate } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { startPlatform } from '../../src/platform/platform.js';
import { Room } from '../../src/platform/state/room.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';
import { CHAIN_TABLES } from '../../src/platform/chain/ledger-tables.js';
import { clientOf, listAt, type Answer } from './client.js';
import { CACHE_DIR } from './releases.js';

const undo: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** A small disk of its own; the test is skipped, aloud, where nobody may make one. */
function smallDisk(context: TestContext, megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m`, 'tmpfs', folder], {
      stdio: 'pipe',
    });
  } catch (cause) {
    process.stderr.write(
      `SKIPPED: no file system can be mounted here (${String(cause).split('\n')[0] ?? ''})\n`,
    );
    context.skip();
  }
  undo.push(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Takes all that is left of a disk; answers how to give it back. */
async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler');
  const handle = await open(path, 'w');
  for (const piece of [1_000_000, 4096, 1]) {
    const bytes = Buffer.alloc(piece, 1);
    for (;;) {
      const written = await handle.write(bytes).then(
        ({ bytesWritten }) => bytesWritten,
        () => 0,
      );
      if (written < piece) break;
    }
  }
  await handle.close();
  return async () => {
    await truncate(path, 0);
    await rm(path);
  };
}

/** A receiver that acknowledges when it is told to, and counts. */
async function openReceiver() {
  const state = { posts: 0, status: 500 };
  const server = createServer((asked, answer) => {
    state.posts += 1;
    asked.resume();
    answer.writeHead(state.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    server.close().closeAllConnections();
  });
  return { state, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/token` };
}

const TRAIL = { name: 'Trail', field: { encrypt_data: false } };

describe('a platform whose disk is full', { timeout: 180_000 }, () => {
  it('says that it is not ready, refuses writes, repeats no callback, and goes on by itself', async (context) => {
    const disk = smallDisk(context, 48);
    const failures: string[] = [];
    const failed = (cause: unknown) => void failures.push(String(cause));
    const platform = await startPlatform({ dataDir: join(disk, 'data'), cacheDir: CACHE_DIR, failed });
    undo.push(() => platform.stop());
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const ready = async () => {
      const answer = await request(`${platform.apiUrl}/ready`);
      return { status: answer.statusCode, body: await answer.body.json() };
    };
    expect(await ready()).toEqual({ status: 200, body: { ready: true, reason: null } });
    const { state, url } = await openReceiver();
    expect((await api.post('/api/audit/contracts', { ...TRAIL, callback_url: url })).status).toBe(200);
    await expect.poll(() => state.posts).toBeGreaterThan(0);
    // Some of these are being recorded, mined and settled while the disk fills.
    const writes: Promise<Answer>[] = Array.from({ length: 60 }, () =>
      api.post('/api/audit/contracts', TRAIL),
    );
    const empty = await fill(disk);
    const accepted = (await Promise.all(writes)).filter(({ status }) => status === 200).length;
    const reason = 'the disk of the data folder is full';
    await expect.poll(ready).toEqual({ status: 503, body: { ready: false, reason } });
    const refused = await api.post('/api/audit/tag', { name: 'n' });
    expect(refused).toEqual({
      status: 503,
      body: { message: `Nothing can be recorded at present: ${reason}.` },
    });
    expect((await api.post('/_platform/wallets', { name: 'w' })).status).toBe(503);
    expect((await api.get('/api/audit/contracts')).status).toBe(200);
    // What cannot be recorded is not posted: one attempt may have been on its way.
    state.status = 200;
    const before = state.posts;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(state.posts - before).toBeLessThanOrEqual(1);
    await empty();
    await expect.poll(async () => (await ready()).status).toBe(200);
    expect((await api.post('/api/audit/tag', { name: 'n' })).status).toBe(200);
    const standing = async () => listAt((await api.get('/api/audit/contracts')).body, 'result').length;
    await expect.poll(standing, { timeout: 60_000 }).toBe(accepted + 1);
    const callback = async () => listAt((await api.get('/_platform/callbacks')).body, 'result')[0]?.['state'];
    await expect.poll(callback, { timeout: 60_000 }).toBe('delivered');
    expect(state.posts - before).toBeLessThanOrEqual(2);
    expect(failures.filter((text) => text.includes('nothing can be recorded'))).toHaveLength(1);
  });

  it('stops taking writes while there is still room for what is under way', async (context) => {
    const disk = smallDisk(context, 20);
    const records = openRecords(join(disk, 'records.db'), [CHAIN_TABLES]);
    undo.push(() => records.close());
    let recovered = 0;
    const parts = { dataDir: disk, records, recovered: () => void (recovered += 1), failed: () => undefined };
    const room = new Room(parts);
    undo.push(() => room.close());
    expect(await room.look()).toBeUndefined();
    const { bavail, bsize } = statfsSync(disk);
    const path = join(disk, 'filler');
    const handle = await open(path, 'w');
    await handle.write(Buffer.alloc(bavail * bsize - 500_000, 1));
    await handle.close();
    await expect.poll(() => room.look()).toMatch(/full/);
    await rm(path);
    await expect.poll(() => room.look()).toBeUndefined();
    expect(recovered).toBe(1);
  });
});

describe('records that take nothing', () => {
  it.each([
    ['SQLITE_FULL', 'the disk of the data folder is full'],
    ['ENOSPC', 'the disk of the data folder is full'],
    ['SQLITE_READONLY', 'the disk of the data folder takes nothing (SQLITE_READONLY)'],
    ['EROFS', 'the disk of the data folder takes nothing (EROFS)'],
  ])('with %s are noticed at once, and tried until they take something', async (code, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'room-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const own = openRecords(join(folder, 'records.db'), [CHAIN_TABLES]);
    undo.push(() => own.close());
    let broken = true;
    const records: Records = {
      ...own,
      transact: (work) =>
        broken ? Promise.reject(Object.assign(new Error('no'), { code })) : own.transact(work),
    };
    let told = 0;
    let recovered = 0;
    const room = new Room({
      dataDir: folder,
      records,
      recovered: () => void (recovered += 1),
      failed: () => void (told += 1),
    });
    undo.push(() => room.close());
    room.start();
    expect(room.noticed(new Error('something else'))).toBe(false);
    expect(room.fault).toBeUndefined();
    expect(room.noticed(Object.assign(new Error('no'), { code }))).toBe(true);
    expect(room.fault).toBe(reason);
    expect(await room.look()).toBe(reason);
    broken = false;
    await expect.poll(() => room.fault).toBeUndefined();
    expect([told, recovered]).toEqual([1, 1]);
  });
});
