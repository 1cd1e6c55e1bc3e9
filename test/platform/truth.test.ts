import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import type { Effect } from '../../src/platform/server/truth.js';

const TOKEN = 'a'.repeat(43);

let folder: string;
let platform: Platform;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-truth-'));
  platform = await startPlatform({
    dataDir: join(folder, 'data'),
    cacheDir: join(folder, 'cache'),
    port: 0,
    truth: { port: 0 },
  });
}, 30_000);

afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(path: string, body: unknown): Promise<void> {
  const { client_id = '', client_secret = '' } = platform.apiKey ?? {};
  const answer = await fetch(`${platform.apiUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', client_id, client_secret },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

async function effects(query = ''): Promise<readonly Effect[]> {
  const answer = await fetch(`${platform.truthUrl ?? ''}/__truth/effects${query}`);
  return ((await answer.json()) as { readonly effects: readonly Effect[] }).effects;
}

test('ground truth names each effect once, by the digest of the attempt that asked for it', async () => {
  await call('/api/audit/contracts', {
    name: 'releases',
    encrypt_data: false,
    callback_url: `http://127.0.0.1:9/cb/${TOKEN}`,
  });
  const token = digestOfBytes(TOKEN);
  await expect.poll(async () => (await effects(`?token=${token}`))[0]?.state).toBe('live');
  const found = await effects(`?token=${token}`);
  expect(found).toEqual([expect.objectContaining({ kind: 'audit-contract', token, tokenId: null })]);
  expect(found[0]?.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  expect(await effects(`?token=${digestOfBytes('another')}`)).toEqual([]);
  expect(JSON.stringify(await effects())).not.toContain(TOKEN);
});

test('ground truth has a port of its own, and the service does not tell it', async () => {
  expect(new URL(platform.truthUrl ?? '').port).not.toBe(new URL(platform.apiUrl).port);
  expect((await fetch(`${platform.apiUrl}/__truth/effects`)).status).toBe(404);
});

test('a platform that nobody asked for it tells no ground truth', async () => {
  const other = mkdtempSync(join(tmpdir(), 'windlass-truth-'));
  const silent = await startPlatform({
    dataDir: join(other, 'data'),
    cacheDir: join(other, 'cache'),
    port: 0,
  });
  try {
    expect(silent.truthUrl).toBeUndefined();
  } finally {
    await silent.stop();
    rmSync(other, { recursive: true, force: true });
  }
}, 30_000);
