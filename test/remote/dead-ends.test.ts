import { describe, expect, it } from 'vitest';
import { WindlassError } from '../../src/model/error.js';
import { networkFailure } from '../../src/model/network-failure.js';
import type { ReadRequest } from '../../src/kinds/operation.js';
import type { ServiceOptions } from '../../src/remote/service.js';
import { aService, CANARY, freePort, json, jumpingClock, serve, serveRaw, type Seen } from './support.js';

const VERSION: ReadRequest = {
  type: 'service',
  endpoint: 'version.detail',
  params: { projectSlug: 'core', versionSlug: '1-0-0' },
};
const TAGS: ReadRequest = { type: 'service', endpoint: 'audit.tag.list' };

/** What people are told of a read that fails. */
async function failure(baseUrl: string, options: Partial<ServiceOptions> = {}): Promise<WindlassError> {
  const service = aService(baseUrl, { recognised: false, ...options });
  const thrown: unknown = await service.read(VERSION).catch((cause: unknown) => cause);
  if (!(thrown instanceof WindlassError)) throw new Error('the read did not fail', { cause: thrown });
  return thrown;
}

const SYSTEM_WORDS = /syscall|E[A-Z]{4,}|UND_ERR|HPE_|ERR_|fetch failed|undefined/;

describe('a service that cannot be reached', () => {
  it.each([
    [
      'nothing listens',
      async () => `http://127.0.0.1:${await freePort()}/path?key=1`,
      /nothing listens/,
      'base_url',
    ],
    ['its name is unknown', async () => 'https://no-such-host.invalid', /DNS/, 'base_url'],
    ['it hangs up', async () => (await serveRaw((socket) => socket.destroy())).url, /broken off/, 'base_url'],
    [
      'it speaks no HTTP',
      async () => (await serveRaw((socket) => socket.end('220 mail.example.com ESMTP\r\n'))).url,
      /not speak HTTP/,
      'http://',
    ],
    [
      'it speaks no TLS',
      async () => (await serve((_, response) => response.end())).url.replace('http:', 'https:'),
      /not speak TLS/,
      'https://',
    ],
  ])('is named with its origin, the reason in words, and what to do: %s', async (_, address, reason, fix) => {
    const url = await address();
    const { code, message, advice } = await failure(url);
    expect(code).toBe('REMOTE_UNREACHABLE');
    expect(message).toMatch(reason);
    expect(message).toContain(`at ${new URL(url).origin} cannot be reached`);
    expect(message).not.toContain('key=1');
    expect(message).not.toMatch(SYSTEM_WORDS);
    expect(advice).toContain(fix);
  });

  it('names the node where the node is what does not answer', async () => {
    const rpcUrl = `http://user:${encodeURIComponent(CANARY.clientSecret)}@127.0.0.1:${await freePort()}/v2/secret-key`;
    const service = aService('http://127.0.0.1:1', { rpcUrl });
    const read = service.read({ type: 'code', address: `0x${'0'.repeat(40)}` });
    const thrown = (await read.catch((cause: unknown) => cause)) as WindlassError;
    expect([thrown.code, thrown.message]).toEqual([
      'REMOTE_UNREACHABLE',
      expect.stringMatching(/^The RPC node at http:\/\/127\.0\.0\.1:\d+ cannot be reached: nothing listens/),
    ]);
    expect(thrown.advice).toContain('rpc_url');
    expect(`${thrown.message}${thrown.advice}`).not.toMatch(/secret/);
  });

  it('is given up soon while it has not answered once, and waited for when it has', async () => {
    let tries = 0;
    let up = true;
    const { url } = await serveRaw((socket) => {
      tries += 1;
      if (!up) {
        socket.destroy();
        return;
      }
      const body = '{"message":"Success","result":{}}';
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    // Two seconds go by with each look at the clock.
    const clock = jumpingClock();
    const slow = { ...clock, nowMs: () => (clock.sleptMs += 2000) };
    const retry = { retries: 20, firstWaitMs: 1, longestWaitMs: 1 };
    const service = aService(url, { clock: slow, retry });
    await service.read(VERSION);
    up = false;
    tries = 0;
    await expect(service.read(VERSION)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    expect(tries).toBe(21);
    tries = 0;
    await failure(url, { clock: slow, retry });
    expect(tries).toBeLessThan(6);
  });

  it('is not asked again where the next try would be the same', async () => {
    const { url, seen } = await serve((_, response) => response.end());
    await failure(url.replace('http:', 'https:'), {
      retry: { retries: 50, firstWaitMs: 1, longestWaitMs: 1 },
    });
    expect(seen).toEqual([]);
  });

  it.each([
    ['CERT_HAS_EXPIRED', /expired/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /authority/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another name/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /TLS/],
    ['EHOSTUNREACH', /network/],
    ['UND_ERR_CONNECT_TIMEOUT', /in time/],
  ])('has words for %s, however deep it lies', (code, words) => {
    const inner = Object.assign(new Error('syscall connect'), { code });
    for (const cause of [inner, new AggregateError([inner], ''), new Error('fetch failed', { cause: inner })])
      expect(networkFailure(cause)?.reason).toMatch(words);
    expect(networkFailure(new Error('anything else'))).toBeUndefined();
    expect(networkFailure('text')).toBeUndefined();
  });
});

/** A server below whose path the service answers, and everywhere else something else. */
function answering(list: number, rest: (request: Seen) => readonly [number, unknown]) {
  return serve((request, response) => {
    const isList = /^\/api\/(audit\/get-audit-transaction|certificate\/get-certificate)\?/.test(request.url);
    if (isList) return json(response, list, { status: list, message: 'said', result: [] });
    const [status, body] = rest(request);
    if (typeof body === 'string')
      return response.writeHead(status, { 'content-type': 'text/html' }).end(body);
    return json(response, status, body);
  });
}

describe('what answers at the address of a service', () => {
  it.each([
    ['JSON', 404, { message: 'Not Found' }],
    ['a page', 404, '<html>not found</html>'],
    ['one page for every path', 200, '<html>app</html>'],
    ['other JSON', 200, { hello: 'world' }],
    ['another address', 302, ''],
  ])('is told from the service when it answers everything with %s', async (_, status, body) => {
    const { url, seen } = await serve((__, response) =>
      typeof body === 'string'
        ? response.writeHead(status, { 'content-type': 'text/html', location: '/login' }).end(body)
        : json(response, status, body),
    );
    const { code, message } = await failure(`${url}/wrong/`);
    expect(code).toBe('REMOTE_NOT_SERVICE');
    expect(message).toContain(`${url}/wrong is not the service`);
    expect(message).toContain(`HTTP ${status}`);
    expect(seen.map((request) => request.url)).toContainEqual(expect.stringMatching(/^\/wrong\/api\/audit/));
  });

  it.each([
    ['shows its lists', 200],
    ['asks for another key', 403],
    ['refuses the filters', 422],
  ])('is the service when it %s: then absence is believed, and nothing more is asked', async (_, list) => {
    const { url, seen } = await answering(list, () => [404, { message: 'No such version' }]);
    const service = aService(url, { recognised: false });
    expect(await service.read(VERSION)).toEqual({ type: 'absent' });
    expect(await service.read(VERSION)).toEqual({ type: 'absent' });
    expect(seen).toHaveLength(3);
  });

  it('is the service when it has answered in its envelope once', async () => {
    let first = true;
    const { url, seen } = await answering(404, () => {
      const found = first;
      first = false;
      return found ? [200, { status: 200, result: [] }] : [404, { message: 'No such version' }];
    });
    const service = aService(url, { recognised: false });
    expect(await service.read(TAGS)).toMatchObject({ type: 'found' });
    expect(await service.read(VERSION)).toEqual({ type: 'absent' });
    expect(seen).toHaveLength(2);
  });

  it('is asked once, however many reads wait for the answer, and again after it was not the service', async () => {
    const { url, seen } = await answering(404, () => [404, { message: 'no' }]);
    const service = aService(url, { recognised: false });
    const reads = ['a', 'b', 'c'].map((slug) =>
      service.read({ ...VERSION, params: { projectSlug: 'core', versionSlug: slug } }),
    );
    for (const result of await Promise.allSettled(reads)) expect(result.status).toBe('rejected');
    const probes = seen.filter((request) => request.url.includes('get-'));
    expect(probes.length).toBeLessThanOrEqual(4);
    await expect(service.read(VERSION)).rejects.toMatchObject({ code: 'REMOTE_NOT_SERVICE' });
  });
});
