import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { originOf } from '../../src/platform/server/access/web-pages.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import { CACHE_DIR } from './releases.js';

const DAPP = 'http://localhost:3000';

let folder: string;
let platform: Platform;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  const dataDir = join(folder, 'data');
  platform = await startPlatform({ dataDir, cacheDir: CACHE_DIR, allowOrigins: [DAPP] });
});
afterAll(async () => {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

type Headers = Readonly<Record<string, string>>;

async function ask(
  method: 'GET' | 'POST' | 'OPTIONS' | 'DELETE',
  path: string,
  headers: Headers,
  body?: string,
) {
  const answer = await request(`${platform.localUrl}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  await answer.body.dump();
  return { status: answer.statusCode, headers: answer.headers };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const call = async (headers: Headers) =>
  (await ask('POST', '/rpc', { ...JSON_TYPE, ...headers }, CALL)).status;
/** The status of a request for `/health` whose headers are sent as they are, also those that no client would send. */
function rawStatus(headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port()), '127.0.0.1', () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET /health HTTP/1.1\r\n${lines.join('')}\r\n`);
    });
    socket.once('data', (text) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text.toString())?.[1]));
    });
    socket.once('error', reject);
  });
}

const own = (): string => new URL(platform.localUrl).host;
const port = (): string => new URL(platform.localUrl).port;

describe('a platform on loopback', () => {
  it('answers to every name of loopback, and to no other name', async () => {
    for (const host of [
      own(),
      `localhost:${port()}`,
      `LOCALHOST:${port()}`,
      `localhost.:${port()}`,
      `[::1]:${port()}`,
      '127.8.9.1',
      'localhost',
    ])
      expect([host, await call({ host })]).toEqual([host, 200]);
    const others = [
      'evil.test',
      `evil.test:${port()}`,
      `127.0.0.1.evil.test:${port()}`,
      `localhost.evil.test:${port()}`,
      `0.0.0.0:${port()}`,
      '[::ffff:8.8.8.8]',
    ];
    for (const host of others) {
      expect([host, await call({ host })]).toEqual([host, 403]);
      for (const path of ['/health', '/console/', '/openapi.json', '/metrics', '/ready', '/nowhere'])
        expect([host, path, (await ask('GET', path, { host })).status]).toEqual([host, path, 403]);
    }
    for (const host of [
      'evil.test@127.0.0.1',
      '127.0.0.1/evil.test',
      'localhost evil.test',
      '[',
      '',
      'evil.test, localhost',
    ])
      expect([host, await rawStatus({ host })]).toEqual([host, 403]);
    expect(await rawStatus({ host: own() })).toBe(200);
    // What a page of a rebound name can say beside its name.
    expect(await call({ host: `evil.test:${port()}`, 'x-forwarded-host': own() })).toBe(403);
  });

  it('answers no page of another origin, whatever the route', async () => {
    const foreign: readonly Headers[] = [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:1${port()}` },
      { origin: `https://evil.test:${port()}` },
      { origin: 'chrome-extension://abcdefghijklmnop' },
      { origin: '' },
      { origin: `${DAPP}.evil.test` },
      { origin: `ftp://${own()}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.test', 'sec-fetch-site': 'none' },
    ];
    const { client_id, client_secret } = platform.apiKey!;
    for (const headers of foreign) {
      expect([headers, await call(headers)]).toEqual([headers, 403]);
      for (const path of ['/_platform/keys', '/_platform/clock', '/console/session', '/api/audit/category']) {
        const answer = await ask('POST', path, { ...JSON_TYPE, client_id, client_secret, ...headers }, '{}');
        expect([headers, path, answer.status]).toEqual([headers, path, 403]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  it('answers programs, its own pages, and whoever follows a link', async () => {
    expect(await call({})).toBe(200);
    expect(await call({ origin: platform.localUrl, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await call({ origin: `http://LOCALHOST:${port()}`, host: `localhost:${port()}` })).toBe(200);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await ask('GET', '/console/', link)).status).toBe(200);
  });

  it('opens no socket to a page: an upgrade is a request like all others', async () => {
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'sec-websocket-version': '13',
    };
    const raw = await rawStatus({ host: own(), origin: 'http://evil.test', ...upgrade });
    expect(raw).toBe(403);
  });
});

describe('/rpc', () => {
  it('takes calls as application/json alone', async () => {
    for (const type of ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8'])
      expect([type, (await ask('POST', '/rpc', { 'content-type': type }, CALL)).status]).toEqual([type, 200]);
    const forms = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=a',
      'application/json-seq',
      'text/plain; application/json',
      'application/jsonp',
      '',
    ];
    for (const type of forms)
      expect([type, (await ask('POST', '/rpc', { 'content-type': type }, CALL)).status]).toEqual([type, 415]);
    expect((await ask('POST', '/rpc', {}, CALL)).status).toBe(415);
  });

  it('answers pages of the origins that its operator names, each exactly, and tells caches that it does so', async () => {
    const preflight = {
      origin: DAPP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const asked = await ask('OPTIONS', '/rpc', {
      ...preflight,
      'access-control-request-private-network': 'true',
    });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': DAPP,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('content-type') as string,
      'access-control-allow-private-network': 'true',
      vary: 'Origin',
    });
    expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    const answered = await ask('POST', '/rpc', { ...JSON_TYPE, origin: DAPP }, CALL);
    expect([
      answered.status,
      answered.headers['access-control-allow-origin'],
      answered.headers['vary'],
    ]).toEqual([200, DAPP, 'Origin']);
    // A page may read why it is refused.
    const wrong = await ask('POST', '/rpc', { 'content-type': 'text/plain', origin: DAPP }, CALL);
    expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([415, DAPP]);
    const other = await ask('OPTIONS', '/rpc', { ...preflight, origin: 'http://localhost:3001' });
    expect([other.status, other.headers['access-control-allow-origin'], other.headers['vary']]).toEqual([
      403,
      undefined,
      'Origin',
    ]);
  });

  it('is all that such a page may ask', async () => {
    for (const path of [
      '/health',
      '/_platform/keys',
      '/api/audit/category',
      '/console/session',
      '/rpcx',
      '/rpc/more',
    ])
      expect([path, (await ask('OPTIONS', path, { origin: DAPP })).status]).toEqual([path, 403]);
    expect((await ask('GET', '/health', { origin: DAPP })).status).toBe(403);
  });

  it('still serves clients that are no pages', async () => {
    const client = createPublicClient({ transport: http(platform.rpcUrl) });
    expect(await client.getChainId()).toBe(31_337);
  });
});

describe('a hosted platform', () => {
  it('answers its own pages under its public name, and no others', async () => {
    const dataDir = join(folder, 'hosted');
    const publicUrl = 'https://ledger.example.com';
    const hosted = await startPlatform({ dataDir, cacheDir: CACHE_DIR, hosted: true, publicUrl });
    try {
      const key = await hosted.createKey('first');
      const headers = {
        'content-type': 'application/json',
        client_id: key.client_id,
        client_secret: key.client_secret,
      };
      const statusFor = async (more: Headers) =>
        (
          await request(`${hosted.localUrl}/rpc`, {
            method: 'POST',
            headers: { ...headers, ...more },
            body: CALL,
          })
        ).statusCode;
      expect(await statusFor({ host: 'ledger.example.com' })).toBe(200);
      expect(await statusFor({ host: 'backend:8080', origin: publicUrl })).toBe(200);
      expect(await statusFor({ host: 'backend:8080', origin: 'https://evil.test' })).toBe(403);
      expect(await statusFor({ host: 'evil.test', origin: 'null' })).toBe(403);
    } finally {
      await hosted.stop();
    }
  });
});

describe('an origin that an operator names', () => {
  it('is scheme, host and port, as browsers spell them', () => {
    expect(originOf('HTTP://LocalHost:3000')).toBe('http://localhost:3000');
    expect(originOf('https://app.example.com:443')).toBe('https://app.example.com');
    expect(originOf('chrome-extension://AbCd')).toBe('chrome-extension://abcd');
    for (const text of [
      '*',
      'null',
      '',
      'localhost:3000',
      'http://a/',
      'http://a/b',
      'http://u@a',
      'http://*.a',
      '//a',
      'file://',
      'http://a b',
    ])
      expect([text, originOf(text)]).toEqual([text, undefined]);
  });
});
