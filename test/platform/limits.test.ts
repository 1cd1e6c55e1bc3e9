import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { openReleases, releasesOf, type Releases } from './releases.js';

const LABEL = { name: 'n' };

function headersOf({ platform }: Releases): Record<string, string> {
  const { client_id, client_secret } = platform.apiKey!;
  return { client_id, client_secret };
}

describe('a platform with a rate', () => {
  it('answers 429 with the time to wait to the organisation that is over it, and to no other', async () => {
    let time = Date.now();
    const releases = await openReleases({ limits: { requestsPerMinute: 6 }, now: () => time });
    const post = () =>
      request(`${releases.platform.apiUrl}/api/audit/tag`, {
        method: 'POST',
        headers: { ...headersOf(releases), 'content-type': 'application/json' },
        body: JSON.stringify(LABEL),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) statuses.push((await post()).statusCode);
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
    const refused = await post();
    expect(await refused.body.json()).toEqual({ message: 'Too many requests, please try again later.' });
    expect(Number(refused.headers['retry-after'])).toBe(10);
    expect((await releases.stranger.get('/api/audit/tag')).status).toBe(200);
    time += 10_000;
    expect([(await post()).statusCode, (await post()).statusCode]).toEqual([200, 429]);
    await releases.close();
  }, 60_000);
});

describe('a platform at its limits', () => {
  it('refuses writes while too much waits, and goes on reading', async () => {
    const releases = await openReleases({ limits: { waiting: 0 } });
    const answer = await releases.api.post('/api/audit/tag', LABEL);
    expect(answer).toEqual({ status: 503, body: { message: 'Too many requests are waiting.' } });
    expect((await releases.api.get('/api/audit/tag')).status).toBe(200);
    await releases.close();
  }, 60_000);

  it('receives no more bodies at a time than it has room for, and frees the room of those that went away', async () => {
    const releases = await openReleases({ limits: { bytesInFlight: 1000 } });
    const { apiUrl } = releases.platform;
    const slow = connect({ host: '127.0.0.1', port: Number(new URL(apiUrl).port) });
    const head = Object.entries({ ...headersOf(releases), host: '127.0.0.1', 'content-length': '900' });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    slow.write(`POST /api/audit/tag HTTP/1.1\r\ncontent-type: application/json\r\n${lines}\r\n{`);
    const second = () => releases.api.post('/api/audit/tag', { name: 'x'.repeat(200) });
    await expect.poll(async () => (await second()).status, { timeout: 10_000 }).toBe(503);
    slow.destroy();
    await expect.poll(async () => (await second()).status, { timeout: 10_000 }).toBe(200);
    await releases.close();
  }, 60_000);

  it('keeps no more files of an organisation than it has room for, and of the others what they have', async () => {
    const releases = await openReleases({ limits: { storedBytes: 3000 } });
    const project = await releases.project('Room');
    const path = `/api/contract/projects/${project}/versions`;
    const source = (letter: string) => `// ${letter.repeat(1400)}\ncontract C {}`;
    const put = async (letter: string, filename = 'C.sol') => {
      const sources = { [filename]: source(letter) };
      return (await releases.submit(path, { sources }).catch(() => ({ status: 413 }))).status;
    };
    expect([await put('a'), await put('b')]).toEqual([200, 200]);
    expect(await put('c')).toBe(413);
    // What is kept already takes no more room.
    expect(await put('a')).toBe(200);
    expect(await put('b', 'D.sol')).toBe(413);
    const files = await readdir(join(releases.dataDir, 'files'), { recursive: true });
    expect(files.filter((name) => /[0-9a-f]{64}$/.test(name))).toHaveLength(2);
    const theirs = releasesOf(releases.platform.apiUrl, releases.strangerKey, releases.stranger);
    const other = await theirs.project('Theirs');
    const sources = { 'C.sol': source('c') };
    const answer = await theirs.submit(`/api/contract/projects/${other}/versions`, { sources });
    expect(answer.status).toBe(200);
    await releases.close();
  }, 60_000);

  it('takes no form that is too large as a whole, though each of its files is small', async () => {
    const releases = await openReleases();
    const project = await releases.project('Big');
    const text = `// ${'x'.repeat(4_000_000)}\ncontract C {}`;
    const sources = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`C${String(n)}.sol`, text]));
    const answer = await releases
      .submit(`/api/contract/projects/${project}/versions`, { sources })
      .catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
    const { total } = (await releases.api.get(`/api/contract/projects/${project}/versions`)).body as {
      total?: number;
    };
    expect(total ?? 0).toBe(0);
    await releases.close();
  }, 60_000);
});
