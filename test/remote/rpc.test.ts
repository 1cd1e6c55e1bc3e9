import { expect, onTestFinished, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import { readReceipt } from '../../src/kinds/receipt.js';
import { openRpc, type Rpc } from '../../src/remote/rpc.js';
import { aService, CANARY, json, realClock, serve, type Seen } from './support.js';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Answer = (call: Call) => object;

/** A node that answers single calls and batches, batches in reverse order. */
async function aNode(answer: Answer): Promise<{ url: string; seen: Seen[] }> {
  return serve((request, response) => {
    const body = JSON.parse(String(request.body)) as Call | Call[];
    const one = (call: Call): object => ({ jsonrpc: '2.0', id: call.id, ...answer(call) });
    json(response, 200, Array.isArray(body) ? body.map(one).reverse() : one(body));
  });
}

function aRpc(url: string): Rpc {
  const rpc = openRpc({ url, clock: realClock, retry: { retries: 2, firstWaitMs: 1, longestWaitMs: 2 } });
  onTestFinished(() => rpc.close());
  return rpc;
}

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;

const RECEIPT = {
  transactionHash: HASH,
  transactionIndex: '0x2',
  blockNumber: '0x10',
  blockHash: `0x${'01'.repeat(32)}`,
  from: ADDRESS,
  to: null,
  contractAddress: ADDRESS,
  gasUsed: '0x5208',
  cumulativeGasUsed: '0xa410',
  logsBloom: '0x00',
  type: '0x0',
  status: '0x1',
  logs: [{ address: ADDRESS, topics: [HASH], data: '0x', blockNumber: '0x10', logIndex: '0x1' }],
};

test('calls of one tick travel in batches of at most 50, and each gets its own answer', async () => {
  const { url, seen } = await aNode(({ params }) => ({ result: params[0] }));
  const rpc = aRpc(url);
  const results = await Promise.all(Array.from({ length: 120 }, (_, index) => rpc.call('echo', [index])));
  expect(results).toEqual(Array.from({ length: 120 }, (_, index) => index));
  const sizes = seen.map(({ body }) => (JSON.parse(String(body)) as Call[]).length);
  expect(sizes.sort((a, b) => b - a)).toEqual([50, 50, 20]);
});

test('a node that takes no batches is asked one by one', async () => {
  const { url } = await serve((request, response) => {
    const body = JSON.parse(String(request.body)) as Call | Call[];
    if (Array.isArray(body)) json(response, 200, { jsonrpc: '2.0', id: null, error: { code: -32_600 } });
    else json(response, 200, { jsonrpc: '2.0', id: body.id, result: body.params[0] });
  });
  const rpc = aRpc(url);
  expect(await Promise.all([rpc.call('echo', [1]), rpc.call('echo', [2])])).toEqual([1, 2]);
});

test('one failing call of a batch fails alone', async () => {
  const { url } = await aNode(({ method }) =>
    method === 'bad' ? { error: { code: -32_601, message: '\u001b[31mno' } } : { result: 'fine' },
  );
  const rpc = aRpc(url);
  const [good, bad] = await Promise.allSettled([rpc.call('good', []), rpc.call('bad', [])]);
  expect(good).toEqual({ status: 'fulfilled', value: 'fine' });
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'REMOTE_ANSWER' } });
  expect(String((bad as PromiseRejectedResult).reason)).not.toContain('\u001b');
});

test('a missing answer in a batch is an error, not a mix-up', async () => {
  const { url } = await serve((request, response) => {
    const [first] = JSON.parse(String(request.body)) as Call[];
    json(response, 200, [{ jsonrpc: '2.0', id: first?.id, result: 'first' }]);
  });
  const rpc = aRpc(url);
  const settled = await Promise.allSettled([rpc.call('a', []), rpc.call('b', [])]);
  expect(settled).toMatchObject([{ value: 'first' }, { reason: { code: 'REMOTE_ANSWER' } }]);
});

test('a node that refuses for the moment is asked again', async () => {
  const { url, seen } = await serve((request, response) => {
    const { id } = JSON.parse(String(request.body)) as Call;
    if (seen.length < 3) response.writeHead(503).end();
    else json(response, 200, { jsonrpc: '2.0', id, result: '0x1' });
  });
  expect(await aRpc(url).call('eth_chainId', [])).toBe('0x1');
});

test('the key in the path of a node’s address is sent and never shown; a user name is not sent', async () => {
  const { url, seen } = await serve((_, response) => response.writeHead(500).end());
  const address = url.replace('http://', 'http://user:s%40cret@').concat('/v2/path-key?k=query-key');
  const error = await aRpc(address).call('eth_chainId', []).catch(String);
  expect(seen[0]?.headers.authorization).toBeUndefined();
  expect(seen[0]?.url).toBe('/v2/path-key?k=query-key');
  for (const canary of ['s@cret', 's%40cret', 'path-key', 'query-key']) expect(error).not.toContain(canary);
});

test('a receipt of the chain has the service’s shape', async () => {
  const { url } = await aNode(() => ({ result: RECEIPT }));
  const answer = await aService(url, { rpcUrl: url }).read({ type: 'receipt', hash: HASH });
  expect(answer).toMatchObject({
    type: 'found',
    source: 'chain',
    value: {
      status: true,
      gasUsed: 21_000,
      blockNumber: 16,
      transactionIndex: 2,
      contractAddress: '0xCdCDCdCdcdcdcdCdcDcDCdcDcDCdCdcdCdcDCDcD',
      logs: [{ blockNumber: 16, logIndex: 1, topics: [HASH] }],
    },
  });
  expect(answer.type === 'found' && readReceipt(answer.value)?.succeeded).toBe(true);
});

test('a reverted transaction has status false', async () => {
  const { url } = await aNode(() => ({ result: { ...RECEIPT, status: '0x0' } }));
  const answer = await aService(url, { rpcUrl: url }).read({ type: 'receipt', hash: HASH });
  expect(answer).toMatchObject({ type: 'found', value: { status: false } });
});

test.each([
  ['not yet in a block', { result: null }, 'absent'],
  ['without a status', { result: { ...RECEIPT, status: undefined } }, 'unreadable'],
  ['an error', { error: { code: -32_000, message: 'no' } }, 'unreadable'],
  ['nonsense', { result: 'yes' }, 'unreadable'],
])('a receipt that is %s', async (_, body, type) => {
  const { url } = await aNode(() => body);
  expect(await aService(url, { rpcUrl: url }).read({ type: 'receipt', hash: HASH })).toMatchObject({ type });
});

test('code is answered by its digest, and no code is absent', async () => {
  const { url } = await aNode(({ params }) => ({ result: params[0] === ADDRESS ? '0x6001' : '0x' }));
  const service = aService(url, { rpcUrl: url });
  expect(await service.read({ type: 'code', address: ADDRESS })).toEqual({
    type: 'found',
    value: { digest: digestOfBytes(Buffer.from([0x60, 0x01])), sizeBytes: 2 },
    source: 'chain',
  });
  expect(await service.read({ type: 'code', address: `0x${'00'.repeat(20)}` })).toEqual({ type: 'absent' });
});

test('whom a contract names as its owner is read by a call; what names none is unreadable', async () => {
  const owner = `0x${'cd'.repeat(20)}`;
  const answers = [`0x${'0'.repeat(24)}${owner.slice(2)}`, '0x', `0x${'f'.repeat(64)}`, null];
  const { url } = await aNode(({ method, params }) => {
    expect([method, (params[0] as { data: string }).data]).toEqual(['eth_call', '0x8da5cb5b']);
    return { result: answers.shift() ?? null };
  });
  const service = aService(url, { rpcUrl: url });
  const read = () => service.read({ type: 'owner', address: ADDRESS });
  expect(await read()).toEqual({
    type: 'found',
    value: '0xCdCDCdCdcdcdcdCdcDcDCdcDcDCdCdcdCdcDCDcD',
    source: 'chain',
  });
  for (let left = answers.length; left > 0; left -= 1)
    expect(await read()).toMatchObject({ type: 'unreadable' });
});

test('a call that the contract refuses, and a missing node, say nothing about an owner', async () => {
  const { url } = await aNode(() => ({ error: { code: 3, message: 'execution reverted' } }));
  const read = { type: 'owner', address: ADDRESS } as const;
  expect(await aService(url, { rpcUrl: url }).read(read)).toMatchObject({ type: 'unreadable' });
  expect(await aService(url).read(read)).toMatchObject({ type: 'unreadable' });
});

test('nothing is asked about what is no hash and no address', async () => {
  const { url, seen } = await aNode(() => ({ result: null }));
  const service = aService(url, { rpcUrl: url });
  for (const wrong of ['', '0x1', `${HASH}"`, '{}']) {
    expect(await service.read({ type: 'receipt', hash: wrong })).toMatchObject({ type: 'unreadable' });
    expect(await service.read({ type: 'code', address: wrong })).toMatchObject({ type: 'unreadable' });
    expect(await service.read({ type: 'owner', address: wrong })).toMatchObject({ type: 'unreadable' });
    expect(await service.read({ type: 'account', address: wrong, count: 1 })).toMatchObject({
      type: 'unreadable',
    });
  }
  expect(seen).toHaveLength(0);
});

test('a node that the service runs is asked with the service’s key, another one never', async () => {
  const { url, seen } = await aNode(() => ({ result: null }));
  const other = await aNode(() => ({ result: null }));
  await aService(url, { rpcUrl: `${url}/rpc` }).read({ type: 'receipt', hash: HASH });
  await aService(url, { rpcUrl: other.url }).read({ type: 'receipt', hash: HASH });
  expect(seen[0]?.headers['client_secret']).toBe(CANARY.clientSecret);
  expect(other.seen[0]?.headers['client_secret']).toBeUndefined();
  expect(other.seen[0]?.headers['client_id']).toBeUndefined();
});
