import { createServer, request as plainRequest, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { CAPABILITIES } from '../../src/protocol/endpoint.js';
import { startPlatform } from '../../src/platform/platform.js';
import { at, clientOf, idAt, listAt, textAt } from './client.js';
import { CACHE_DIR, openReleases, type Releases } from './releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const AUDIT = { name: 'Trail', field: { encrypt_data: false } };

/** A listener that answers with these statuses in turn, the last one for ever. */
async function openMoody(
  statuses: readonly number[],
): Promise<{ url: string; bodies: string[]; server: Server }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      bodies.push(text);
      response
        .writeHead(statuses[Math.min(bodies.length, statuses.length) - 1] ?? 200, { location: '/else' })
        .end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook/secret`,
    bodies,
    server,
  };
}

describe('the server', () => {
  it('tells anybody what it is, and nothing else without a key', async () => {
    const { apiUrl, id, rpcUrl, chainId, genesis } = releases.platform;
    const health = (await (await fetch(`${apiUrl}/health`)).json()) as object;
    expect(health).toMatchObject({
      status: 'ok',
      id,
      api_url: apiUrl,
      rpc_url: rpcUrl,
      chain_id: chainId,
      genesis,
    });
    expect(health).toMatchObject({ capabilities: CAPABILITIES });
    const secret = releases.platform.apiKey?.client_secret ?? '';
    expect(JSON.stringify(health)).not.toContain(secret);
    const page = await (await fetch(`${apiUrl}/`)).text();
    expect(page).toContain('Windlass console');
    for (const told of [secret, id, releases.platform.wallets[0]]) expect(page).not.toContain(told);
    for (const headers of [
      {},
      { client_id: 'x', client_secret: 'y' },
      { client_id: releases.platform.apiKey!.client_id, client_secret: 'y' },
    ]) {
      const answer = await fetch(`${apiUrl}/api/contract/projects`, {
        headers: { ...headers } as Record<string, string>,
      });
      expect([answer.status, await answer.json()]).toEqual([401, { message: 'Unauthenticated.' }]);
    }
  });

  it('answers errors in the one shape, whatever is wrong with the request', async () => {
    expect((await releases.api.get('/api/nothing/here')).body).toEqual({ message: 'Not Found' });
    expect((await releases.api.post('/api/contract/projects', ['x'])).status).toBe(400);
    const { client_id, client_secret } = releases.platform.apiKey!;
    const headers = { client_id, client_secret, 'content-type': 'application/json' };
    const broken = await fetch(`${releases.platform.apiUrl}/api/contract/projects`, {
      method: 'POST',
      headers,
      body: '{"a":',
    });
    expect(broken.status).toBe(400);
    expect(Object.keys((await broken.json()) as object)).toEqual(['message']);
    const noAddress = await fetch(`${releases.platform.apiUrl}/api/audit/audit/%zz`, { headers });
    expect([noAddress.status, Object.keys((await noAddress.json()) as object)]).toEqual([400, ['message']]);
  });

  it.each([
    ['GARBAGE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0', 400],
  ])('answers bytes that are no request in that shape, too: %#', async (bytes, status) => {
    const { hostname, port } = new URL(releases.platform.apiUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.write(bytes);
    let answer = '';
    for await (const part of socket) answer += String(part);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${String(status)} `);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['message']);
  });

  it('on loopback answers to loopback names only', async () => {
    const url = new URL(releases.platform.apiUrl);
    const status = await new Promise((resolve) => {
      const request = plainRequest({
        host: url.hostname,
        port: url.port,
        path: '/health',
        headers: { host: 'evil.example' },
      });
      request.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.end();
    });
    expect(status).toBe(403);
  });

  it('elsewhere has no well-known key and no well-known wallet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'public-'));
    const platform = await startPlatform({ dataDir: folder, cacheDir: CACHE_DIR, host: '0.0.0.0' });
    expect(platform.apiKey).toBeUndefined();
    expect(platform.wallets).toEqual([]);
    const api = clientOf(platform.apiUrl, await platform.createKey('first'));
    const { body } = await api.post('/_platform/wallets', { name: 'deployer' });
    expect(releases.platform.wallets).not.toContain(at(body, 'result.address'));
    expect(
      (
        await fetch(`${platform.apiUrl}/rpc`, {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(401);
    await platform.stop();
    await rm(folder, { recursive: true });
  });
});

describe('a callback', () => {
  /** Reads the newest callback that goes to where a URL is; an empty one before there is any. */
  const newestOf = (url: string) => async (): Promise<JsonObject> => {
    const all = listAt((await releases.api.get('/_platform/callbacks')).body, 'result');
    return all.find(({ origin }) => origin === new URL(url).origin) ?? {};
  };

  it('goes out again until it is answered with 200, follows no redirect, and can be sent once more', async () => {
    const { url, bodies, server } = await openMoody([302, 200]);
    await releases.api.post('/api/audit/contracts', { ...AUDIT, callback_url: url });
    await expect.poll(() => bodies.length).toBe(2);
    expect(bodies[0]).toBe(bodies[1]);
    const newest = async () => listAt((await releases.api.get('/_platform/callbacks')).body, 'result')[0]!;
    await expect.poll(async () => (await newest())['state']).toBe('delivered');
    expect(JSON.stringify(await newest())).not.toContain('secret');
    const resend = `/_platform/callbacks/${idAt(await newest(), 'id')}/resend`;
    expect((await releases.stranger.post(resend, {})).status).toBe(404);
    expect((await releases.api.post(resend, {})).body).toMatchObject({
      result: { sent: true, attempts: 3, state: 'delivered', last_result: '200', due_at: null },
    });
    expect(bodies).toHaveLength(3);
    server.close();
  }, 30_000);

  it('is told by the number of what it tells of, counts every sending, and says why one failed', async () => {
    const { url, bodies, server } = await openMoody([200, 503, 200]);
    await releases.api.post('/api/audit/contracts', { ...AUDIT, callback_url: url });
    const newest = newestOf(url);
    await expect.poll(async () => (await newest())['state']).toBe('delivered');
    expect(await newest()).toMatchObject({ about: `audit contract ${AUDIT.name}`, attempts: 1 });
    const resend = `/_platform/callbacks/${idAt(await newest(), 'id')}/resend`;
    const refused = (await releases.api.post(resend, {})).body;
    expect(refused).toMatchObject({
      result: { sent: true, attempts: 2, state: 'pending', last_result: '503' },
    });
    expect(Date.parse(textAt(refused, 'result.due_at'))).toBeGreaterThan(
      Date.parse(textAt(refused, 'result.last_at')),
    );
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(3);
    await expect.poll(newest).toMatchObject({ state: 'delivered', attempts: 3 });
    server.close();
  }, 30_000);

  it('that is asked for twice at a time is sent once, and both are told of the same sending', async () => {
    const { url, bodies, server } = await openMoody([200, 200, 200]);
    await releases.api.post('/api/audit/contracts', { ...AUDIT, callback_url: url });
    await expect.poll(() => bodies.length).toBe(1);
    const newest = newestOf(url);
    await expect.poll(async () => (await newest())['state']).toBe('delivered');
    const resend = `/_platform/callbacks/${idAt(await newest(), 'id')}/resend`;
    const answers = await Promise.all([1, 2, 3].map(() => releases.api.post(resend, {})));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(bodies).toHaveLength(2);
    server.close();
  }, 30_000);
});

describe('the operator', () => {
  it('makes keys for other organisations with the first one only, and sees no secret afterwards', async () => {
    const made = await releases.api.post('/_platform/keys', { name: 'ci' });
    expect(at(made.body, 'result.client_secret')).toMatch(/^sk_[0-9a-f]{64}$/);
    const { body } = await releases.api.get('/_platform/keys');
    expect(listAt(body, 'result').map((key) => key['name'])).toEqual(['development', 'ci']);
    expect(JSON.stringify(body)).not.toContain(at(made.body, 'result.client_secret'));
    expect(
      (await releases.stranger.post('/_platform/keys', { name: 'x', organisation: 'org-1' })).status,
    ).toBe(403);
  });
});
