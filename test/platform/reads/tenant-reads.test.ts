import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { Busy } from '../../../src/platform/admission/refusals.js';
import { ChainError } from '../../../src/platform/chain/chain.js';
import { TenantReads, type ReadRules } from '../../../src/platform/chain/reads/tenant-reads.js';
import type { Rpc } from '../../../src/platform/chain/rpc.js';

const RULES: ReadRules = {
  heavyAtATime: 1,
  heavyPerOrganisation: 1,
  waiting: 100,
  patienceMs: 60_000,
  bounds: { callGas: 25_000_000n, logBlocks: 10_000 },
};

/** A node that answers what it is told to, and remembers what it was asked. */
function openNode(
  answer: (method: string, params: readonly Json[]) => Promise<Json> | Json,
  rules: Partial<ReadRules> = {},
) {
  const asked: (readonly [method: string, ...params: Json[]])[] = [];
  const spent: (readonly [org: string, milliseconds: number])[] = [];
  let running = 0;
  let most = 0;
  const rpc: Rpc = {
    request: async (method, params) => {
      asked.push([method, ...params]);
      running += 1;
      most = Math.max(most, running);
      try {
        return await answer(method, params);
      } finally {
        running -= 1;
      }
    },
    batch: async () => [],
    leave: () => undefined,
    close: async () => undefined,
  };
  const about = { chainId: 1, rpcUrl: '', mostGas: 50_000_000n };
  const reads = new TenantReads({
    rpc,
    about,
    rules: { ...RULES, ...rules },
    spent: (org, milliseconds) => void spent.push([org, milliseconds]),
  });
  return { reads, asked, spent, most: () => most };
}

const later = (ms: number): Promise<Json> => new Promise((resolve) => setTimeout(() => resolve('0x'), ms));

describe('the chain as a tenant reads it', () => {
  it('runs one call at a time, and lets another tenant in behind it', async () => {
    const order: string[] = [];
    const { reads, most } = openNode(() => later(5));
    const call = async (org: string) => {
      await reads.of(org).request('eth_call', [{ to: '0x1', data: '0x' }, 'latest']);
      order.push(org);
    };
    await Promise.all([...Array.from({ length: 20 }, () => call('hog')), call('guest')]);
    expect(order.indexOf('guest')).toBeLessThanOrEqual(2);
    expect(most()).toBe(1);
  });

  it.each([
    [{}, '0x17d7840'],
    [{ gas: '0x2faf080' }, '0x17d7840'],
    [{ gas: '0x5208' }, '0x5208'],
    [{ gas: 99_999_999_999 }, '0x17d7840'],
    [{ gas: '0x', gasLimit: '0xffffffffff' }, '0x17d7840'],
  ])('gives a call no more gas than it may use: %j', async (named, gas) => {
    const { reads, asked } = openNode(() => '0x');
    await reads.of('a').request('eth_call', [{ to: '0x1', ...named }, 'latest']);
    expect(asked[0]?.[1]).toMatchObject({ gas });
  });

  it('tells whoever asked that it takes too long, and holds the place until the node is done', async () => {
    let answered = (): void => undefined;
    const { reads, asked } = openNode(
      () =>
        new Promise((resolve) => {
          answered = () => resolve('0x');
        }),
      { patienceMs: 700 },
    );
    const call = (org: string) => reads.of(org).request('eth_call', [{ to: '0x1' }, 'latest']);
    await expect(call('hog')).rejects.toBeInstanceOf(Busy);
    await expect(call('guest')).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
    answered();
    const next = call('guest');
    await expect.poll(() => asked.length).toBe(2);
    answered();
    expect(await next).toBe('0x');
  });

  it('refuses more of one organisation than may wait, and tells what each kept the node for', async () => {
    const { reads, spent } = openNode(() => later(5), { waiting: 2 });
    const call = () => reads.of('hog').request('eth_call', [{ to: '0x1' }, 'latest']);
    const all = await Promise.allSettled(Array.from({ length: 6 }, call));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(spent.map(([org]) => org)).toEqual(['hog', 'hog', 'hog']);
  });

  it('begins nothing that runs code while the platform works on a block, and looks up what it may', async () => {
    const { reads, asked } = openNode(() => '0x');
    let done = (): void => undefined;
    const own = reads.ownWork(() => new Promise<void>((resolve) => (done = resolve)));
    const call = reads.of('a').request('eth_call', [{ to: '0x1' }, 'latest']);
    expect(await reads.of('a').request('eth_getCode', ['0x1', 'latest'])).toBe('0x');
    expect(asked.map(([method]) => method)).toEqual(['eth_getCode']);
    done();
    await own;
    expect(await call).toBe('0x');
  });

  it('does not wait for ever for a platform that is always at work', async () => {
    const { reads } = openNode(() => '0x');
    void reads.ownWork(() => new Promise(() => undefined));
    expect(await reads.of('a').request('eth_call', [{ to: '0x1' }, 'latest'])).toBe('0x');
  });

  it.each([
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x2711' }]],
    ['eth_getLogs', [{ fromBlock: 'earliest' }]],
    ['eth_getLogs', [{ fromBlock: 'safe', toBlock: 'latest' }]],
    ['eth_getLogs', [{ address: Array.from({ length: 101 }, () => '0x1') }]],
    ['eth_getLogs', [{ topics: [Array.from({ length: 101 }, () => '0x1')] }]],
    ['eth_getLogs', ['0x1']],
    ['eth_getProof', ['0x1', Array.from({ length: 101 }, () => '0x1'), 'latest']],
    ['eth_feeHistory', ['0x401', 'latest', []]],
    ['eth_feeHistory', [1025, 'latest', []]],
    [
      'eth_call',
      [{ to: '0x1' }, 'latest', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, {}]))],
    ],
  ])('refuses what asks for too much at a time: %s %#', async (method, params) => {
    const { reads, asked } = openNode((asks) => (asks === 'eth_blockNumber' ? '0x4e20' : '0x'));
    await expect(reads.of('a').request(method, params as Json[])).rejects.toBeInstanceOf(ChainError);
    expect(asked.filter(([asks]) => asks !== 'eth_blockNumber')).toEqual([]);
  });

  it('searches through logs a few blocks at a time, in order, and stops when there are too many', async () => {
    const many = Array.from({ length: 3000 }, () => 'log');
    const { reads, asked } = openNode((method, [filter]) =>
      method === 'eth_blockNumber' ? '0x64' : [(filter as { fromBlock: string }).fromBlock],
    );
    const found = await reads.of('a').request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
    expect(found).toEqual(['0x0', '0x14', '0x28', '0x3c', '0x50', '0x64']);
    expect(asked.at(-1)?.[1]).toEqual({ fromBlock: '0x64', toBlock: '0x64' });
    const full = openNode((method) => (method === 'eth_blockNumber' ? '0x3e8' : many));
    await expect(full.reads.of('a').request('eth_getLogs', [{ fromBlock: '0x0' }])).rejects.toMatchObject({
      code: -32_005,
    });
    expect(full.asked.length).toBeLessThan(12);
  });

  it('estimates a small transaction with the node’s own words, and a large one by calls of bounded length', async () => {
    const needed = 9_000_000;
    const enough = (params: readonly Json[]) => Number((params[0] as { gas: string }).gas) >= needed;
    const { reads, asked } = openNode((method, params) => {
      if (enough(params)) return method === 'eth_call' ? '0x' : '0x5208';
      throw new ChainError('out of gas');
    });
    const estimate = Number(await reads.of('a').request('eth_estimateGas', [{ to: '0x1' }]));
    expect(estimate).toBeGreaterThanOrEqual(needed);
    expect(estimate).toBeLessThan(needed * 1.02);
    expect(asked.filter(([method]) => method === 'eth_estimateGas')).toHaveLength(1);
    expect(asked.length).toBeLessThan(15);
    const small = openNode(() => '0x5208');
    expect(await small.reads.of('a').request('eth_estimateGas', [{ to: '0x1' }])).toBe('0x5208');
    expect(small.asked).toHaveLength(1);
  });

  it('tells why a transaction fails that no gas helps', async () => {
    const { reads } = openNode((method) => {
      throw new ChainError(method === 'eth_call' ? 'execution reverted: no' : 'out of gas', 3);
    });
    await expect(reads.of('a').request('eth_estimateGas', [{ to: '0x1' }])).rejects.toThrow(/reverted: no/);
  });

  it('is bounded by nothing but turns where its only user is its owner', async () => {
    const { reads, asked } = openNode(() => '0x', { bounds: undefined });
    await reads.of('a').request('eth_getLogs', [{ fromBlock: '0x0' }]);
    await reads.of('a').request('eth_estimateGas', [{ to: '0x1' }]);
    expect(asked.map(([method]) => method)).toEqual(['eth_getLogs', 'eth_estimateGas']);
  });
});
