import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { startReachable } from './reachable-node.js';
import { takePulse } from '../../src/platform/chain/pulse.js';
import { openRpc } from '../../src/platform/chain/rpc.js';
import { startPlatform, type Platform, type PlatformOptions } from '../../src/platform/platform.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import { clientOf, listAt, textAt } from './client.js';
import { openReceiver } from './receiver.js';
import { CACHE_DIR } from './releases.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hosting-'));
  undo.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function start(options: Partial<PlatformOptions> = {}): Promise<Platform> {
  const dataDir = options.dataDir ?? join(await folder(), 'data');
  const platform = await startPlatform({ cacheDir: CACHE_DIR, bcryptCost: 4, ...options, dataDir });
  undo.push(() => platform.stop());
  return platform;
}

const get = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await request(url, { headers });
  return { status: answer.statusCode, text: await answer.body.text() };
};

describe('a hosted platform', () => {
  it('has no well-known keys though it listens on loopback behind a proxy, and answers to any name', async () => {
    const platform = await start({ hosted: true, trustProxy: true, publicUrl: 'https://ledger.example.com' });
    expect([platform.apiKey, platform.wallets, platform.apiUrl]).toEqual([
      undefined,
      [],
      'https://ledger.example.com',
    ]);
    const key = await platform.createKey('first');
    expect(key.client_secret).toMatch(/^sk_/);
  });

  it('writes one line of JSON for each request, without ids, credentials, addresses or persons', async () => {
    const lines: string[] = [];
    const platform = await start({ log: (line) => void lines.push(line) });
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const person = { name: 'Alice Secretname', email: 'alice@hidden.example', ic: '990101-01-1234' };
    const { body } = await api.post('/api/wallet/create-user', person);
    const address = textAt(body, 'result.wallet.wallet_address');
    await api.get(`/api/wallet/wallet/${address}`);
    await api.post('/api/audit/contracts', {
      name: 'n',
      field: { encrypt_data: false },
      callback_url: 'http://127.0.0.1:9/hook/token-of-mine',
    });
    await get(`${platform.apiUrl}/api/wallet/wallet`, { client_id: 'a', client_secret: 'wrong-secret' });
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(4);
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told[1]).toMatchObject({ method: 'GET', route: '/api/wallet/wallet/:address', status: 200 });
    expect(told.find((one) => one['status'] === 401)?.['organisation']).toBeUndefined();
    const all = lines.join('');
    const { client_id, client_secret } = platform.apiKey!;
    for (const secret of [
      client_id,
      client_secret,
      'wrong-secret',
      address,
      'token-of-mine',
      ...Object.values(person),
    ])
      expect(all).not.toContain(secret);
  });

  it('shows metrics to its operator only, with routes by their pattern', async () => {
    const platform = await start({ hosted: true });
    expect((await get(`${platform.apiUrl}/metrics`)).status).toBe(401);
    const key = await platform.createKey('first');
    const operator = { client_id: key.client_id, client_secret: key.client_secret };
    const api = clientOf(platform.apiUrl, key);
    const { body } = await api.post('/_platform/keys', { name: 'x', organisation: 'org-2' });
    const stranger = {
      client_id: textAt(body, 'result.client_id'),
      client_secret: textAt(body, 'result.client_secret'),
    };
    expect((await get(`${platform.apiUrl}/metrics`, stranger)).status).toBe(404);
    await api.get('/api/wallet/wallet/0x0000000000000000000000000000000000000001');
    const { status, text } = await get(`${platform.apiUrl}/metrics`, operator);
    expect(status).toBe(200);
    expect(text).toMatch(/windlass_transactions_pending 0\n/);
    expect(text).toContain('route="/api/wallet/wallet/:address",status="404"');
    expect(text).not.toContain('0x0000');
  });

  it('answers what is under way when it stops, says that it is not ready, and then takes nothing more', async () => {
    const platform = await start({ drainMs: 1500, bcryptCost: 11 });
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const receiver = await openReceiver();
    undo.push(() => receiver.close());
    const callback_url = receiver.url();
    await api.post('/api/audit/contracts', { name: 'n', field: { encrypt_data: false }, callback_url });
    const contract_address = textAt(await receiver.received(callback_url), 'contract_address');
    expect((await get(`${platform.apiUrl}/ready`)).status).toBe(200);
    const write = { wallet_address: platform.wallets[0] ?? '', contract_address, metadata: 'm' };
    const under = Array.from({ length: 4 }, () => api.post('/api/audit/audit', write));
    const stopping = platform.stop();
    expect(await get(`${platform.apiUrl}/ready`)).toEqual({
      status: 503,
      text: JSON.stringify({ ready: false, reason: 'it is stopping' }),
    });
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await stopping;
    await expect(get(`${platform.apiUrl}/ready`)).rejects.toThrow();
  });
});

describe('a platform over a node where gas has a price', () => {
  it('fills its wallets from the payer before they send, once each', async () => {
    const cacheDir = await folder();
    const node = await startReachable({ chainId: 4243, cacheDir, fundDevelopmentAccounts: true });
    undo.push(() => node.kill());
    const rpc = openRpc(node.url);
    undo.push(() => rpc.close());
    await rpc.request('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
    await rpc.request('evm_mine', []);
    await rpc.request('evm_setIntervalMining', [1]);
    // The payer is an account that only this node knows.
    const key = new Uint8Array(32).fill(7);
    const floor = 10n ** 17n;
    const failures: unknown[] = [];
    const failed = (cause: unknown) => failures.push(cause);
    const platform = await start({ hosted: true, rpcUrl: node.url, funder: { key, floor }, failed });
    const api = clientOf(platform.apiUrl, await platform.createKey('first'));
    const made = await api.post('/_platform/wallets', { name: 'deployer' });
    const wallet = textAt(made.body, 'result.address');
    const create = (symbol: string) =>
      api.post('/api/certificate/create-smartcontract', {
        wallet_address: wallet,
        name: 'n',
        field: { wallet_address_owner: wallet, max_supply: 0, name: 'n', symbol },
      });
    expect((await create('A')).status).toBe(200);
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    expect(String(failures[0])).toContain('cannot pay');
    const payer = /gas (0x\w{40}) cannot/.exec(String(failures[0]))?.[1] ?? '';
    await rpc.request('anvil_setBalance', [payer, '0x56bc75e2d63100000']);
    await create('B');
    const standing = async () => {
      const list = await api.get('/api/certificate/get-smart-contract');
      return JSON.stringify(list.body).split('contract_address').length - 1;
    };
    await expect.poll(standing, { timeout: 40_000 }).toBe(2);
    expect(await rpc.request('eth_getTransactionCount', [payer, 'latest'])).toBe('0x1');
    const balance = BigInt((await rpc.request('eth_getBalance', [wallet, 'latest'])) as string);
    expect(balance > 0n && balance < 2n * floor).toBe(true);
  }, 120_000);
});

/** A node of somebody else behind a door that can be held shut: connections stand, and nothing is answered. */
async function doorToNode(chainId: number) {
  const cacheDir = await folder();
  const node = await startReachable({ chainId, cacheDir, fundDevelopmentAccounts: true });
  undo.push(() => node.kill());
  let opened: Promise<void> = Promise.resolve();
  let asked = 0;
  const door = createServer((question, answer) => {
    const pass = async () => {
      const body = Buffer.concat(await question.toArray());
      asked += 1;
      await opened;
      const headers = { 'content-type': 'application/json' };
      const given = await request(node.url, { method: 'POST', headers, body });
      answer.writeHead(given.statusCode, headers);
      answer.end(await given.body.text());
    };
    // Who gave up waiting is not answered.
    pass().catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  undo.push(async () => door.close().closeAllConnections());
  let thaw: () => void = () => undefined;
  return {
    node,
    rpcUrl: `http://127.0.0.1:${String((door.address() as AddressInfo).port)}/secret-of-the-node`,
    asked: () => asked,
    freeze: () => {
      opened = new Promise((resolve) => (thaw = resolve));
    },
    thaw: () => {
      thaw();
    },
  };
}

/** A node of somebody else, somebody who is called back, and a place for a platform's data. */
async function besideNode(chainId: number) {
  const cacheDir = await folder();
  const node = await startReachable({ chainId, cacheDir, fundDevelopmentAccounts: true });
  undo.push(() => node.kill());
  const rpc = openRpc(node.url);
  undo.push(() => rpc.close());
  await rpc.request('evm_setAutomine', [true]);
  const receiver = await openReceiver();
  undo.push(() => receiver.close());
  return { node, rpc, receiver, dataDir: join(await folder(), 'data') };
}

describe('a wallet that cannot pay for gas', () => {
  it('is told so for each write, keeps no nonce open, grows no records, and writes as soon as it can pay', async () => {
    const { node, rpc, receiver, dataDir } = await besideNode(4249);
    const platform = await start({ rpcUrl: node.url, dataDir });
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const wallet = textAt((await api.post('/_platform/wallets', { name: 'poor' })).body, 'result.address');
    const create = async () => {
      const callback_url = receiver.url();
      const field = { wallet_address_owner: wallet, max_supply: 0, name: 'n', symbol: 'N' };
      const path = '/api/certificate/create-smartcontract';
      expect((await api.post(path, { wallet_address: wallet, name: 'n', field, callback_url })).status).toBe(
        200,
      );
      return receiver.received(callback_url);
    };
    const sent = async () => (await api.get('/_platform/callbacks')).body;
    expect(textAt(await create(), 'result.status')).toBe('failed');
    expect(textAt(await create(), 'result.message')).toMatch(/insufficient funds/i);
    expect(listAt(await sent(), 'result')).toHaveLength(2);
    await rpc.request('anvil_setBalance', [wallet, '0x56bc75e2d63100000']);
    expect(textAt(await create(), 'result.status')).toBe('success');
    // Two nonces were freed, and one was used.
    expect(await rpc.request('eth_getTransactionCount', [wallet, 'latest'])).toBe('0x3');
    await platform.stop();
    const records = openRecords(join(dataDir, 'records.db'), []);
    undo.push(() => records.close());
    const fillers = `SELECT id FROM transactions WHERE subject_type = 'filler'`;
    expect(await records.all(fillers)).toHaveLength(2);
  }, 120_000);
});

describe('a filler that reached the chain although nobody recorded that it was sent', () => {
  it('is settled by its receipt, and not signed anew', async () => {
    const { node, rpc, receiver, dataDir } = await besideNode(4251);
    const first = await start({ rpcUrl: node.url, dataDir });
    const poor = clientOf(first.apiUrl, first.apiKey!);
    const wallet = textAt((await poor.post('/_platform/wallets', { name: 'poor' })).body, 'result.address');
    const create = async (api: ReturnType<typeof clientOf>) => {
      const callback_url = receiver.url();
      const field = { wallet_address_owner: wallet, max_supply: 0, name: 'n', symbol: 'N' };
      const write = { wallet_address: wallet, name: 'n', field, callback_url };
      await api.post('/api/certificate/create-smartcontract', write);
      return textAt(await receiver.received(callback_url), 'result.status');
    };
    expect(await create(poor)).toBe('failed');
    await first.stop();
    const fillers = async () => {
      const records = openRecords(join(dataDir, 'records.db'), []);
      const sql = `SELECT hash, raw, status FROM transactions WHERE subject_type = 'filler'`;
      const rows = await records.all<{ hash: string; raw: string; status: string }>(sql);
      await records.close();
      return rows;
    };
    const [filler] = await fillers();
    await rpc.request('anvil_setBalance', [wallet, '0x56bc75e2d63100000']);
    await rpc.request('eth_sendRawTransaction', [filler?.raw ?? '']);
    const second = await start({ rpcUrl: node.url, dataDir });
    expect(await create(clientOf(second.apiUrl, second.apiKey!))).toBe('success');
    await second.stop();
    expect(await fillers()).toEqual([{ ...filler, status: 'success' }]);
  }, 120_000);
});

describe('a platform that ends while the node of somebody else is frozen', () => {
  it('does not wait for what the node owes, and finishes it when it is started again', async () => {
    const { node, rpcUrl, asked, freeze, thaw } = await doorToNode(4248);
    const rpc = openRpc(node.url);
    undo.push(() => rpc.close());
    const failures: string[] = [];
    const dataDir = join(await folder(), 'data');
    const first = await start({ rpcUrl, dataDir, failed: (cause) => failures.push(String(cause)) });
    const api = clientOf(first.apiUrl, first.apiKey!);
    freeze();
    const before = asked();
    const read = api.get(`/api/contract/accounts/${first.wallets[0] ?? ''}/nonce`);
    const [wallet = ''] = first.wallets;
    const created = await api.post('/api/certificate/create-smartcontract', {
      wallet_address: wallet,
      name: 'n',
      field: { wallet_address_owner: wallet, max_supply: 0, name: 'n', symbol: 'N' },
    });
    expect(created.status).toBe(200);
    // The read and the follower's round both wait for the node.
    await expect.poll(asked).toBeGreaterThan(before + 1);
    await first.stop();
    expect((await read).status).toBeGreaterThanOrEqual(500);
    expect(failures.join()).toContain('before the platform ended');
    thaw();
    await rpc.request('evm_setIntervalMining', [1]);
    const second = await start({ rpcUrl, dataDir });
    const again = clientOf(second.apiUrl, second.apiKey!);
    const standing = async () =>
      listAt((await again.get('/api/certificate/get-smart-contract')).body, 'result').length;
    await expect.poll(standing).toBe(1);
    expect(await rpc.request('eth_getTransactionCount', [second.wallets[0] ?? '', 'latest'])).toBe('0x1');
  }, 120_000);
});

describe('readiness', () => {
  it('goes while the node of somebody else is frozen, and comes back with it', async () => {
    const { rpcUrl, freeze, thaw } = await doorToNode(4245);
    const platform = await start({ rpcUrl });
    const ready = async () => (await get(`${platform.apiUrl}/ready`)).status;
    expect(await ready()).toBe(200);
    freeze();
    await expect.poll(ready, { timeout: 30_000 }).toBe(503);
    const { text } = await get(`${platform.apiUrl}/ready`);
    expect(JSON.parse(text)).toEqual({ ready: false, reason: 'the node of the chain does not answer' });
    // Many who ask share one question and its answer.
    const many = await Promise.all(Array.from({ length: 50 }, ready));
    expect(new Set(many)).toEqual(new Set([503]));
    thaw();
    await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  }, 120_000);

  it('goes when another chain answers in place of the node', async () => {
    const [first, second] = [await folder(), await folder()];
    const nodes = [
      await startReachable({ chainId: 4246, cacheDir: first, fundDevelopmentAccounts: true }),
      await startReachable({ chainId: 4247, cacheDir: second, fundDevelopmentAccounts: true }),
    ];
    for (const node of nodes) undo.push(() => node.kill());
    const pulse = takePulse(openRpc(nodes[1]?.url ?? '', 5000), 4246, 5000);
    undo.push(() => pulse.close());
    expect(await pulse.fault()).toMatch(/another chain/);
    const own = takePulse(openRpc(nodes[0]?.url ?? '', 5000), 4246, 5000);
    undo.push(() => own.close());
    expect(await own.fault()).toBeUndefined();
    await nodes[0]?.kill();
    await expect.poll(() => own.fault()).toMatch(/does not answer/);
  });
});

describe('a data folder whose chain is another one', () => {
  it('is not opened, and the reason is said', async () => {
    const node = await startReachable({
      chainId: 4244,
      cacheDir: await folder(),
      fundDevelopmentAccounts: true,
    });
    undo.push(() => node.kill());
    const dataDir = join(await folder(), 'data');
    await (await start({ dataDir })).stop();
    await expect(start({ dataDir, rpcUrl: node.url })).rejects.toMatchObject({ name: 'OtherChain' });
  });
});

describe('a callback receiver that redirects or talks without end', () => {
  it('costs the platform nothing: no second address is called, and the answer is cut', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' });
      const more = (): void => {
        if (!response.destroyed && response.write(Buffer.alloc(65_536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    undo.push(async () => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const platform = await start();
    const api = clientOf(platform.apiUrl, platform.apiKey!);
    const callback_url = `http://127.0.0.1:${String(port)}/hook`;
    await api.post('/api/audit/contracts', { name: 'n', field: { encrypt_data: false }, callback_url });
    const tried = async () => JSON.stringify((await api.get('/_platform/callbacks')).body);
    await expect.poll(tried).toContain('"last_result":"307"');
    expect(calls).toBeGreaterThan(0);
  });
});
