import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from '../client.js';
import { headOf, openRaw, type RawSocket } from '../raw-socket.js';
import { openReleases, type Releases } from '../releases.js';

let releases: Releases;
beforeAll(async () => {
  const limits = {
    uploadGraceMs: 700,
    uploadBytesPerSecond: 2000,
    requestsAtATime: 20,
    bytesInFlight: 3_000_000,
  };
  releases = await openReleases({ limits });
});
afterAll(() => releases.close());

const UPLOAD = '/api/contract/projects/nowhere/versions';

/** Begins an upload that says how large it is, and sends nothing of it. */
function silentUpload(key: Credentials, path = UPLOAD, bytes = 20_000_000): RawSocket {
  const raw = openRaw(releases.platform.apiUrl);
  const { client_id, client_secret } = key;
  const type = path === UPLOAD ? 'multipart/form-data; boundary=x' : 'application/json';
  const headers = { client_id, client_secret, 'content-type': type, 'content-length': bytes };
  raw.write(headOf(`POST ${path}`, headers));
  return raw;
}

describe('uploads of a tenant that never come', () => {
  it('do not stop another tenant, end with 408, and give their places back', async () => {
    const own = releases.platform.apiKey!;
    const silent = Array.from({ length: 20 }, () => silentUpload(own));
    const tag = { name: 'x'.repeat(200) };
    for (let count = 0; count < 5; count += 1)
      expect((await releases.stranger.post('/api/audit/tag', tag)).status).toBe(200);
    for (const one of silent) await expect.poll(one.statuses).toEqual([408]);
    for (const one of silent) await expect.poll(one.ended).toBe(true);
    expect((await releases.api.post('/api/audit/tag', tag)).status).toBe(200);
  });

  it('are taken on up to the requests that one organisation may have at a time', async () => {
    const own = releases.platform.apiKey!;
    const silent = Array.from({ length: 40 }, () => silentUpload(own));
    await expect
      .poll(() => silent.filter((one) => one.statuses().length > 0).length)
      .toBeGreaterThanOrEqual(20);
    expect(silent.filter((one) => one.statuses()[0] === 429).length).toBe(20);
    expect((await releases.stranger.get('/api/audit/tag')).status).toBe(200);
    for (const one of silent) await expect.poll(one.ended).toBe(true);
  });
});

describe('a client that is too slow', () => {
  it('with its headers is answered 408', async () => {
    const raw = openRaw(releases.platform.apiUrl);
    raw.write('GET /health HTTP/1.1\r\nHost: 127.0');
    await expect.poll(raw.statuses).toEqual([408]);
  });

  it('with a JSON body is answered 408, however regularly a byte of it comes', async () => {
    const raw = silentUpload(releases.platform.apiKey!, '/api/audit/tag', 60_000);
    const trickle = setInterval(() => raw.write(' '), 50);
    await expect.poll(raw.statuses).toEqual([408]);
    clearInterval(trickle);
    await expect.poll(raw.ended).toBe(true);
  });

  it('is let go on while it keeps to the least rate', async () => {
    const body = JSON.stringify({ name: 'n', pad: 'x'.repeat(12_000) });
    const raw = silentUpload(releases.platform.apiKey!, '/api/audit/tag', body.length);
    for (let at = 0; at < body.length; at += 600) {
      raw.write(body.slice(at, at + 600));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await expect.poll(raw.statuses).toEqual([200]);
    raw.socket.destroy();
  });
});

describe('whoever has no key', () => {
  it('is refused before a byte of the body is read, and its connection does not stay', async () => {
    const raw = silentUpload({ client_id: 'x', client_secret: 'y' });
    await expect.poll(raw.statuses).toEqual([401]);
    await expect.poll(raw.ended).toBe(true);
  });

  it('is told so when it sends a small body, and may go on with the connection', async () => {
    const raw = openRaw(releases.platform.apiUrl);
    const headers = { 'content-type': 'application/json', 'content-length': 2 };
    raw.write(`${headOf('POST /api/audit/tag', headers)}{}`);
    await expect.poll(raw.statuses).toEqual([401]);
    raw.write(headOf('GET /health', {}));
    await expect.poll(raw.statuses).toEqual([401, 200]);
    raw.socket.destroy();
  });
});

describe('a platform with limits for clients without a key', () => {
  it('counts each address, and its health checks apart; keys are not in their way', async () => {
    const limited = await openReleases({ limits: { clientRequestsPerMinute: 5 } });
    const { apiUrl } = limited.platform;
    const statuses = async (path: string) => {
      const found: number[] = [];
      for (let count = 0; count < 6; count += 1) {
        const answer = await request(`${apiUrl}${path}`);
        await answer.body.dump();
        found.push(answer.statusCode);
      }
      return found;
    };
    const used = await statuses('/console/app.js');
    expect(used.at(-1)).toBe(429);
    for (const path of ['/openapi.json', '/docs', '/files/x', '/nothing/at/all', '/console/session'])
      expect((await statuses(path))[0]).toBe(429);
    expect((await request(`${apiUrl}/api/audit/tag`, { headers: { client_id: 'x' } })).statusCode).toBe(429);
    expect(await statuses('/health')).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await limited.api.get('/api/audit/tag')).status).toBe(200);
    await limited.close();
  });
});

describe('connections that never ask anything', () => {
  it('are ended, and so are none that have', async () => {
    const { apiUrl } = releases.platform;
    const [silent, asking] = [openRaw(apiUrl), openRaw(apiUrl)];
    asking.write(headOf('GET /health', {}));
    await expect.poll(silent.ended).toBe(true);
    asking.write(headOf('GET /health', {}));
    await expect.poll(asking.statuses).toEqual([200, 200]);
    asking.socket.destroy();
  });

  it('make way for new ones, oldest first, when there are too many', async () => {
    const crowded = await openReleases({ limits: { connections: 20 } });
    const { apiUrl } = crowded.platform;
    const asking = openRaw(apiUrl);
    asking.write(headOf('GET /health', {}));
    await expect.poll(asking.statuses).toEqual([200]);
    const silent = Array.from({ length: 50 }, () => openRaw(apiUrl));
    await expect.poll(() => silent.filter((one) => one.ended()).length).toBeGreaterThanOrEqual(40);
    expect((await request(`${apiUrl}/health`, { reset: true })).statusCode).toBe(200);
    asking.write(headOf('GET /health', {}));
    await expect.poll(asking.statuses).toEqual([200, 200]);
    for (const one of [...silent, asking]) one.socket.destroy();
    await crowded.close();
  });
});
