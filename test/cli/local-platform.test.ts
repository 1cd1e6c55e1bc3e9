import { expect, test } from 'vitest';
import { readHealth } from '../../src/cli/local-platform.js';
import { localTarget } from '../../src/cli/target.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import { SIGN } from '../../src/protocol/sign.js';
import { freePort, json, serve, type Seen } from '../remote/support.js';

const GENESIS = `0x${'0a'.repeat(32)}`;
const HEALTH = {
  status: 'ok',
  id: 'a-platform',
  capabilities: ['projects', 'lists', 'teleport'],
  rpc_url: 'http://127.0.0.1:1/rpc',
  chain_id: 31_337,
  genesis: GENESIS,
  max_execution_delay_ms: 60_000,
};

/** A platform that bears the signs of these requests. */
async function platform(signs: (request: Seen) => boolean): Promise<{ url: string; seen: readonly Seen[] }> {
  return serve((request, response) => {
    if (signs(request)) response.setHeader(SIGN, String(request.headers[SIGN]));
    if (request.method === 'GET') json(response, 200, HEALTH);
    else json(response, 404, { message: 'Not Found' });
  });
}

test('the embedded platform is known by its data and its chain, never by its port', async () => {
  const [one, two] = [await platform(() => true), await platform(() => true)];
  const [first, second] = [await readHealth(one.url), await readHealth(two.url)];
  expect(localTarget(first)).toEqual({
    origin: 'local',
    client: digestOfBytes('a-platform'),
    chain: `31337:${GENESIS}`,
  });
  expect(localTarget(second)).toEqual(localTarget(first));
  expect(first.capabilities).toEqual(['projects', 'lists']);
  expect(first).toMatchObject({ rpcUrl: HEALTH.rpc_url, executionBoundMs: 60_000, signs: true });
  expect(one.seen.every(({ headers }) => headers['client_secret'] === undefined)).toBe(true);
});

test.each([
  ['none', () => false],
  ['those of reads only', ({ method }: Seen) => method === 'GET'],
  ['those of writes only', ({ method }: Seen) => method !== 'GET'],
])('a platform of which these signs come through signs nothing: %s', async (_, signs) => {
  const { url } = await platform(signs);
  expect(await readHealth(url)).toMatchObject({ executionBoundMs: 60_000, signs: false });
});

test('what something on the way makes of a post keeps nobody from using the platform', async () => {
  for (const close of [true, false]) {
    const { url } = await serve((request, response) => {
      response.setHeader(SIGN, String(request.headers[SIGN]));
      if (request.method === 'GET') return json(response, 200, HEALTH);
      response.removeHeader(SIGN);
      return close ? response.socket?.destroy() : response.writeHead(405).end('<html>');
    });
    expect(await readHealth(url)).toMatchObject({ id: 'a-platform', signs: false });
  }
});

test.each([
  ['HTML', '<html>', 200],
  ['another JSON', '{"status":"ok"}', 200],
])('%s is no embedded platform', async (_, body, status) => {
  const { url } = await serve((_request, response) => response.writeHead(status).end(body));
  await expect(readHealth(url)).rejects.toMatchObject({ code: 'PLATFORM_NOT_RUNNING' });
});

test('where nothing listens, no platform runs', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await expect(readHealth(url)).rejects.toMatchObject({ code: 'PLATFORM_NOT_RUNNING' });
});
