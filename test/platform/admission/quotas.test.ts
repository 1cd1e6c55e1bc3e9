import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { textAt } from '../client.js';
import { openReleases, type Releases } from '../releases.js';

let releases: Releases | undefined;
afterEach(async () => {
  await releases?.close();
  releases = undefined;
});

/** What a refusal says of a quota. */
function quota(name: string, limit: number) {
  return { code: 'quota_exceeded', quota: name, limit };
}

describe('a quota that is used up', () => {
  it('is told by its name and size, and ends when something is given up', async () => {
    releases = await openReleases({ limits: { callbacksWaiting: 2 } });
    const { api, stranger, receiver } = releases;
    const nowhere = 'http://127.0.0.1:9/nobody';
    const trail = (callback_url: string) => ({ name: 'T', field: { encrypt_data: false }, callback_url });
    for (let count = 0; count < 2; count += 1)
      expect((await api.post('/api/audit/contracts', trail(nowhere))).status).toBe(200);
    const refused = async () => api.post('/api/audit/tag', { name: 'n' });
    await expect.poll(refused).toMatchObject({ status: 429, body: quota('callbacksWaiting', 2) });
    expect((await stranger.post('/api/audit/contracts', trail(receiver.url()))).status).toBe(200);
    expect((await api.get('/api/audit/tag')).status).toBe(200);
  });

  it('is each organisation’s own, for everything that it may have', async () => {
    const limits = { wallets: 12, projects: 1, labels: 2, keys: 3, versions: 1 };
    releases = await openReleases({ limits });
    const { api, stranger } = releases;
    // Ten wallets are there from the start, and so is the key of the development.
    const makers: readonly (readonly [name: keyof typeof limits, fit: number, path: string, body: object])[] =
      [
        ['wallets', 1, '/_platform/wallets', { name: 'w' }],
        ['wallets', 1, '/api/wallet/create-user', { name: 'n', email: 'a@b.example', ic: '1' }],
        ['projects', 1, '/_platform/projects', { project_name: 'P' }],
        ['labels', 1, '/api/audit/tag', { name: 't' }],
        ['labels', 1, '/api/audit/category', { name: 'c' }],
        ['keys', 2, '/_platform/keys', { name: 'k' }],
      ];
    for (const [, fit, path, body] of makers) {
      for (let count = 0; count < fit; count += 1)
        expect((await api.post(path, body as never)).status).toBe(200);
    }
    for (const [name, , path, body] of makers) {
      const refused = await api.post(path, body as never);
      expect([refused.status, refused.body]).toMatchObject([429, quota(name, limits[name])]);
    }
    expect((await stranger.post('/api/audit/tag', { name: 't' })).status).toBe(200);
    const sources = { 'C.sol': 'contract C {}' };
    expect((await releases.submit('/api/contract/projects/p/versions', { sources })).status).toBe(200);
    const second = await releases.submit('/api/contract/projects/p/versions', { sources });
    expect([second.status, second.body]).toMatchObject([429, quota('versions', 1)]);
  });

  it('counts what was recorded: nothing of what was refused', async () => {
    releases = await openReleases({ limits: { labels: 3 } });
    const { api } = releases;
    for (let count = 0; count < 5; count += 1)
      expect((await api.post('/api/audit/tag', {})).status).toBe(422);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await api.post('/api/audit/tag', { name: 't' })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
  });

  it('of room holds for files, transactions and records alike, and leaves no file of a refused request', async () => {
    releases = await openReleases({ limits: { storedBytes: 60_000 } });
    const { api, receiver, platform, dataDir } = releases;
    const url = receiver.url();
    const trail = { name: 'T', field: { encrypt_data: false }, callback_url: url };
    expect((await api.post('/api/audit/contracts', trail)).status).toBe(200);
    const contract_address = textAt(await receiver.received(url), 'contract_address');
    const record = {
      wallet_address: platform.wallets[0] ?? '',
      contract_address,
      metadata: 'm'.repeat(20_000),
    };
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await api.post('/api/audit/audit', record)).status);
    expect(statuses.at(-1)).toBe(507);
    expect((await api.post('/api/audit/audit', record)).body).toMatchObject(quota('storedBytes', 60_000));
    const project = await releases.project('Room');
    const path = `/api/contract/projects/${project}/versions`;
    const sources = { 'C.sol': `// ${'x'.repeat(59_000)}` };
    expect((await releases.submit(path, { sources })).status).toBe(507);
    const files = await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => []);
    expect(files.filter((name) => /[0-9a-f]{64}/.test(name))).toEqual([]);
  });

  it('is shown to the operator, with what each organisation has used of it', async () => {
    releases = await openReleases({ limits: { labels: 3 } });
    await releases.stranger.post('/api/audit/tag', { name: 't' });
    const answer = await request(`${releases.platform.apiUrl}/metrics`);
    const text = await answer.body.text();
    expect(text).toContain('windlass_quota_used{organisation="org-2",quota="labels"} 1');
    expect(text).toContain('windlass_quota_used{organisation="org-1",quota="wallets"} 10');
    expect(text).toContain('windlass_quota_limit{quota="labels"} 3');
    expect(text).not.toContain('windlass_quota_limit{quota="wallets"}');
    expect(text).toMatch(/windlass_requests_running 1\n/);
  });
});
