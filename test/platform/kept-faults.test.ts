import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { startPlatform } from '../../src/platform/platform.js';
import { testDatabase } from '../support/test-database.js';
import { at, clientOf, listAt, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

/** A rule as the platform's start takes it. */
const TAGS_REFUSED = {
  request: { operation: 'audit.tag.create' },
  when: {},
  fault: { kind: 'refuse', status: 422 },
} as const;

const rule = (fault: Json, more: JsonObject = {}): JsonObject => ({
  request: { operation: 'audit.tag.create' },
  fault,
  ...more,
});

describe('a callback that is sent again', () => {
  const flaky = { answers: [] as number[], bodies: [] as string[] };
  const refusing = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      flaky.bodies.push(Buffer.concat(chunks).toString());
      outgoing.writeHead(flaky.answers.shift() ?? 200).end();
    });
  });
  let releases: Releases;
  beforeAll(async () => {
    releases = await openReleases();
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await releases.close();
    await new Promise((resolve) => {
      refusing.close(resolve);
      refusing.closeAllConnections();
    });
  });
  beforeEach(async () => {
    await releases.api.remove('/_platform/faults');
    flaky.answers = [500, 500];
    flaky.bodies = [];
  });

  /** What came, in order, of a callback whose receiver fails twice. */
  async function came(attempt: Json | undefined, fault: Json): Promise<readonly string[]> {
    const only = { callback: { of: 'audit-*', ...(attempt !== undefined && { attempt }) }, fault };
    const rules = { windlass_faults: 1, seed: 7, rules: [only] };
    expect((await releases.api.post('/_platform/faults', rules)).status).toBe(200);
    const address = `http://127.0.0.1:${String((refusing.address() as AddressInfo).port)}/token`;
    const body = { name: 'Trail', field: { encrypt_data: false }, callback_url: address };
    expect((await releases.api.post('/api/audit/contracts', body)).status).toBe(200);
    const newest = async () => listAt((await releases.api.get('/_platform/callbacks')).body, 'result')[0]!;
    for (const [attempts, pause] of [
      [1, '2s'],
      [2, '6s'],
    ] as const) {
      await expect.poll(newest).toMatchObject({ attempts });
      await releases.api.post('/_platform/clock', { advance: pause });
    }
    await expect.poll(newest).toMatchObject({ state: 'delivered' });
    return flaky.bodies.map((text) => (text === '' ? 'empty' : textAt(JSON.parse(text) as Json, 'status')));
  }

  it('is befallen at its first sending, unless a rule says which', async () => {
    expect(await came(undefined, { wrong_shape: 'empty' })).toEqual(['empty', 'success', 'success']);
  });

  it('is befallen at the sendings that a rule names, or at any of them', async () => {
    expect(await came(2, { wrong_shape: 'empty' })).toEqual(['success', 'empty', 'success']);
    flaky.answers = [500, 500];
    flaky.bodies = [];
    await releases.api.remove('/_platform/faults');
    expect(await came('any', { wrong_shape: 'empty' })).toEqual(['empty', 'empty', 'empty']);
    flaky.answers = [500, 200, 500];
    flaky.bodies = [];
    await releases.api.remove('/_platform/faults');
    // The forged one of the second sending is taken, the true one behind it is not.
    expect(await came([2, 3], { forged: 'failure' })).toEqual([
      'success',
      'failed',
      'success',
      'failed',
      'success',
    ]);
  });
});

describe('fault rules', () => {
  it('hold over a restart, where their counts go on, until they are cleared; those of the start do not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kept-'));
    const options = { dataDir: join(folder, 'data'), cacheDir: folder, ...(await testDatabase()) };
    const third = [rule('refuse', { name: 'third', when: { nth: 3 } })];
    const run = async <Result>(work: (api: ReturnType<typeof clientOf>) => Promise<Result>, more = {}) => {
      const platform = await startPlatform({ ...options, ...more });
      try {
        return await work(clientOf(platform.apiUrl, platform.apiKey!));
      } finally {
        await platform.stop();
      }
    };
    const inForce = async (api: ReturnType<typeof clientOf>) =>
      at((await api.get('/_platform/faults')).body, 'result') as JsonObject;
    const tagged = async (api: ReturnType<typeof clientOf>) =>
      (await api.post('/api/audit/tag', { name: 'n' })).status;

    const set = await run(async (api) => {
      const document = { windlass_faults: 1, seed: 9, rules: [...third, rule({ slow: '1ms' })] };
      await api.post('/_platform/faults', document);
      expect([await tagged(api), await tagged(api)]).toEqual([200, 200]);
      return inForce(api);
    });
    expect(set).toMatchObject({ seed: 9, rules: [{ name: 'third', matched: 2, fired: 0 }, { matched: 2 }] });
    await run(async (api) => {
      expect(await inForce(api)).toEqual(set);
      expect([await tagged(api), await tagged(api)]).toEqual([422, 200]);
      await api.remove('/_platform/faults/rule-1');
    });
    const started = { faults: { seed: 1, rules: [{ name: 'of-the-start', ...TAGS_REFUSED }] } };
    await run(async (api) => {
      expect(await inForce(api)).toMatchObject({ rules: [{ name: 'of-the-start' }] });
      expect(await tagged(api)).toBe(422);
    }, started);
    await run(async (api) => {
      expect(await inForce(api)).toMatchObject({ rules: [{ name: 'third', matched: 4, fired: 1 }] });
      await api.remove('/_platform/faults');
    });
    await run(async (api) => expect(await inForce(api)).toMatchObject({ seed: null, rules: [] }));
    await rm(folder, { recursive: true });
  }, 120_000);
});
