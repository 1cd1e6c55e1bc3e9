import { expect, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { Environment } from '../../src/model/environment.js';
import { readTarget } from '../../src/remote/target.js';
import { aService, freePort, json, realClock, serve } from './support.js';

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

function anEnvironment(overrides: Partial<Environment>): Environment {
  return {
    name: 'test',
    callbacks: 'off',
    maxInFlight: 1,
    sendOrder: 'plan',
    capabilities: [],
    protected: false,
    ...overrides,
  };
}

test('the embedded platform is known by its data and its chain, never by its port', async () => {
  const one = await serve((_, response) => json(response, 200, HEALTH));
  const two = await serve((_, response) => json(response, 200, HEALTH));
  const first = await readTarget({ type: 'local', baseUrl: one.url, callbacks: true });
  const second = await readTarget({ type: 'local', baseUrl: `${two.url}/`, callbacks: true });
  expect(first.target).toEqual({
    origin: 'local',
    client: digestOfBytes('a-platform'),
    chain: `31337:${GENESIS}`,
  });
  expect(second.target).toEqual(first.target);
  expect(first.abilities).toEqual({
    capabilities: new Set(['projects', 'lists']),
    callbacks: true,
    chain: true,
  });
  expect(first).toMatchObject({ rpcUrl: HEALTH.rpc_url, executionBoundMs: 60_000, signs: false });
  expect(one.seen[0]?.headers['client_secret']).toBeUndefined();
});

test.each([
  ['HTML', '<html>', 200],
  ['another JSON', '{"status":"ok"}', 200],
  ['an error', JSON.stringify(HEALTH), 503],
  ['a redirect', JSON.stringify(HEALTH), 302],
])('%s is no embedded platform', async (_, body, status) => {
  const { url } = await serve((_request, response) => response.writeHead(status).end(body));
  const place = { type: 'local', baseUrl: url, callbacks: true } as const;
  await expect(readTarget(place)).rejects.toMatchObject({ code: 'REMOTE_ANSWER' });
});

test('an embedded platform that does not run is REMOTE_UNREACHABLE', async () => {
  const place = { type: 'local', baseUrl: `http://127.0.0.1:${await freePort()}`, callbacks: true } as const;
  await expect(readTarget(place)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
});

test('a service is known by origin and client, and by its chain where the service tells', async () => {
  const { url } = await serve((_, response) => json(response, 200, { message: 'Success', result: 2207 }));
  const service = aService(url);
  const place = { type: 'service', clientId: 'my-client', service, clock: realClock } as const;
  const plain = anEnvironment({ baseUrl: `${url}/base`, callbacks: {} });
  expect(await readTarget({ ...place, environment: plain })).toEqual({
    target: { origin: url, client: digestOfBytes('my-client') },
    abilities: { capabilities: new Set(), callbacks: true, chain: false },
  });
  const telling = anEnvironment({ baseUrl: url, capabilities: ['utils'] });
  expect((await readTarget({ ...place, environment: telling })).target.chain).toBe('2207');
});

test('where a node is known, the chain is its id and its first block', async () => {
  const { url } = await serve((request, response) => {
    const calls = JSON.parse(String(request.body)) as { id: number; method: string }[];
    const answers = calls.map(({ id, method }) => ({
      jsonrpc: '2.0',
      id,
      result: method === 'eth_chainId' ? '0x89f' : { number: '0x0', hash: GENESIS },
    }));
    json(response, 200, answers);
  });
  const environment = anEnvironment({ baseUrl: 'https://service.example.com', rpcUrl: url });
  const service = aService(url);
  const found = await readTarget({ type: 'service', clientId: 'x', service, clock: realClock, environment });
  expect(found.target).toMatchObject({ origin: 'https://service.example.com', chain: `2207:${GENESIS}` });
  expect(found).toMatchObject({ rpcUrl: url, abilities: { chain: true, callbacks: false } });
});
