import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { startPlatform, type Platform } from '../../../src/platform/platform.js';
import { at, clientOf, listAt, textAt, type Credentials } from '../client.js';
import { CACHE_DIR } from '../releases.js';

let folder: string;
let platform: Platform;
let hog: Credentials;
let guest: Credentials;
let now = Date.now();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batches-'));
  const dataDir = join(folder, 'data');
  const limits = { requestsPerMinute: 200, batchCalls: 50, callMs: 20_000 };
  platform = await startPlatform({
    dataDir,
    cacheDir: CACHE_DIR,
    hosted: true,
    limits,
    now: () => now,
    bcryptCost: 4,
  });
  guest = await platform.createKey('guest');
  const made = await clientOf(platform.apiUrl, guest).post('/_platform/keys', {
    name: 'hog',
    organisation: 'hog',
  });
  hog = at(made.body, 'result') as unknown as Credentials;
});
afterAll(async () => {
  await platform.stop();
  await rm(folder, { recursive: true });
});

const ADDRESS = '0x00000000000000000000000000000000000000ff';
/** Hashes for as long as there is gas. */
const ENDLESS = { [ADDRESS]: { code: '0x5b61100060002050600056' } };
const call = (id: number, method = 'eth_call', params: Json = [{ to: ADDRESS }, 'latest', ENDLESS]) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

async function post(key: Credentials, body: Json) {
  const headers = {
    client_id: key.client_id,
    client_secret: key.client_secret,
    'content-type': 'application/json',
  };
  const answer = await request(`${platform.apiUrl}/rpc`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Json };
}

const codes = (body: Json) => listAt({ answers: body }, 'answers').map((one) => at(one, 'error.code'));

describe('a JSON-RPC batch', { timeout: 120_000 }, () => {
  it('counts every call of it as a request', async () => {
    now += 120_000;
    const chainIds = (count: number) => Array.from({ length: count }, (_, id) => call(id, 'eth_chainId', []));
    for (let batch = 0; batch < 4; batch += 1) expect((await post(guest, chainIds(50))).status).toBe(200);
    expect((await post(guest, chainIds(1))).status).toBe(429);
    now += 60_000;
    expect((await post(guest, chainIds(50))).body).toHaveLength(50);
  });

  it('with more calls than it may hold is one error, and none of them is made', async () => {
    now += 120_000;
    const answer = await post(
      guest,
      Array.from({ length: 51 }, (_, id) => call(id, 'eth_chainId', [])),
    );
    expect(answer.status).toBe(200);
    expect(at(answer.body, 'error.code')).toBe(-32_600);
    expect(textAt(answer.body, 'error.message')).toContain('50');
    expect(at(answer.body, 'id')).toBeNull();
    expect(at((await post(guest, [])).body, 'error.code')).toBe(-32_600);
  });

  it('of endless calls is charged what they cost, and its rest is answered with errors', async () => {
    now += 240_000;
    const answer = await post(
      hog,
      Array.from({ length: 50 }, (_, id) => call(id)),
    );
    const found = codes(answer.body);
    expect(found).toHaveLength(50);
    expect(found[0]).not.toBe(-32_005);
    expect(found.at(-1)).toBe(-32_005);
    expect((await post(hog, call(1, 'eth_chainId', []))).status).toBe(429);
    expect((await post(guest, call(1, 'eth_chainId', []))).status).toBe(200);
  });

  it('of one tenant holds up no record of another', async () => {
    now += 240_000;
    const api = clientOf(platform.apiUrl, guest);
    await api.post('/api/audit/contracts', { name: 'Before', field: { encrypt_data: false } });
    const standing = async () => listAt((await api.get('/api/audit/contracts')).body, 'result').length;
    const batches = Array.from({ length: 20 }, () =>
      post(
        hog,
        Array.from({ length: 3 }, (_, id) => call(id)),
      ),
    );
    for (let count = 0; count < 5; count += 1)
      await api.post('/api/audit/contracts', { name: 'Mine', field: { encrypt_data: false } });
    await expect.poll(standing).toBe(6);
    // The tenant's own calls are still being made, or waiting for their turn.
    const answers = await Promise.all(batches);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });
});
