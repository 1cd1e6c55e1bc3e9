import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { DEVELOPMENT_MNEMONIC } from '../../src/platform/chain/key-tree.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import { findChromium, openBrowser } from '../support/browser.js';
import { portsOf } from '../support/listening.js';
import { at, clientOf } from './client.js';
import { CACHE_DIR } from './releases.js';

const chromium = process.platform === 'linux' ? findChromium() : undefined;
const LONG = 120_000;
const VICTIM = '0x00000000000000000000000000000000000000aa';
const BALANCE = '0xffffffffffffffffffff';

/**
 * Every name of the attacker leads to this machine, as after a rebinding; and the browser's own guard of local networks,
 * which not every browser has, is off.
 */
const FLAGS = [
  '--host-resolver-rules=MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
];

let folder: string;
let browser: Browser;
/** Origin of any page on a port of its own: the attacker's, and the dapp's. */
let port: number;
let close: () => void;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attack-'));
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>a page</title><body></body>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => server.close();
  ({ port } = server.address() as AddressInfo);
  if (chromium !== undefined) browser = await openBrowser(chromium, FLAGS);
}, LONG);
afterAll(async () => {
  await browser?.close();
  close();
  await rm(folder, { recursive: true, force: true });
});

async function withPlatform(
  name: string,
  allowOrigins: readonly string[],
  work: (platform: Platform) => Promise<void>,
): Promise<void> {
  const dataDir = join(folder, name);
  const platform = await startPlatform({ dataDir, cacheDir: CACHE_DIR, allowOrigins });
  try {
    await work(platform);
  } finally {
    await platform.stop();
  }
}

/** A transfer by the first development account, whose key everybody knows. */
function signedTransfer(): Promise<string> {
  const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC);
  return account.signTransaction({
    chainId: 31_337,
    nonce: 0,
    gas: 21_000n,
    gasPrice: 0n,
    to: VICTIM,
    value: 1n,
    type: 'legacy',
  });
}

/** All that an attack might change. */
async function stateOf(platform: Platform): Promise<Json> {
  const api = clientOf(platform.apiUrl, platform.apiKey!);
  const rpc = async (method: string, params: readonly Json[]) =>
    at((await api.post('/rpc', { jsonrpc: '2.0', id: 1, method, params })).body, 'result') ?? null;
  const list = async (path: string) => at((await api.get(path)).body, 'result') ?? null;
  const keys = (await list('/_platform/keys')) as readonly { readonly name: string }[];
  return {
    balance: await rpc('eth_getBalance', [VICTIM, 'latest']),
    block: await rpc('eth_blockNumber', []),
    keys: keys.map(({ name }) => name),
    wallets: await list('/_platform/wallets'),
    faults: await list('/_platform/faults'),
    transactions: await list('/_platform/console/transactions'),
  };
}

interface Attack {
  readonly urls: readonly string[];
  readonly calls: readonly (readonly [method: string, params: readonly Json[]])[];
}

/**
 * Everything that a script can send to an address, forms and sockets too, and what it gets to read. Text, because it runs
 * in the page.
 */
const SCRIPT = `async ({ urls, calls }) => {
  const read = [];
  const note = async (way, url, init) => {
    const text = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(5000), ...init }).then(
      (one) => (one.ok ? one.text() : ''),
      () => '',
    );
    if (text !== '') read.push(way + ': ' + text.slice(0, 80));
  };
  const form = (url, type, fields) => {
    const frame = document.createElement('iframe');
    frame.name = 'f' + Math.random();
    document.body.append(frame);
    const made = document.createElement('form');
    Object.assign(made, { method: 'POST', action: url, enctype: type, target: frame.name });
    for (const [name, value] of fields) {
      const input = document.createElement('input');
      Object.assign(input, { type: 'hidden', name, value });
      made.append(input);
    }
    document.body.append(made);
    made.submit();
  };
  const socketTo = (url, body) =>
    new Promise((done) => {
      const socket = new WebSocket(url.replace(/^http/, 'ws'));
      setTimeout(done, 1000);
      socket.onerror = done;
      socket.onmessage = ({ data }) => {
        read.push('socket: ' + data);
        done();
      };
      socket.onopen = () => socket.send(body);
    });
  for (const url of urls)
    for (const [method, params] of calls) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      await note('cors', url, { body, headers });
      await note('cors, text', url, { body });
      await note('batch', url, { body: '[' + body + ']', headers });
      await note('no-cors', url, { body, mode: 'no-cors' });
      await note('no referrer', url, { body, mode: 'no-cors', referrerPolicy: 'no-referrer' });
      navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }));
      const list = params.map((one) => ['params[]', one]);
      const fields = [['jsonrpc', '2.0'], ['id', '1'], ['method', method], ['params[]', ''], ...list];
      form(url, 'application/x-www-form-urlencoded', fields);
      form(url, 'multipart/form-data', fields);
      form(url, 'text/plain', [[body.slice(0, -1) + ',"x":"', '"}']]);
      await socketTo(url, body);
    }
  await new Promise((done) => setTimeout(done, 1500));
  return read;
}`;

function attack(page: Page, about: Attack): Promise<readonly string[]> {
  return page.evaluate(`(${SCRIPT})(${JSON.stringify(about)})`);
}

/** A page of the attacker's, or the dapp's, own server. */
async function openAt(origin: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  return page;
}

/** A page of an origin that is the platform's own port by now: what the attacker's server answered before. */
async function reboundAt(origin: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const body = '<!doctype html><title>a page</title><body></body>';
  await page.route('**/before', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${origin}/before`);
  return page;
}

describe.runIf(chromium !== undefined)('a page of another origin, in a real browser', () => {
  it(
    'changes nothing and reads nothing, on any port that the platform opens, under any name',
    async () => {
      await withPlatform('attacked', [], async (platform) => {
        const before = await stateOf(platform);
        const raw = await signedTransfer();
        const ports = portsOf(process.pid).filter((one) => one !== port);
        const own = Number(new URL(platform.localUrl).port);
        expect(ports).toContain(own);
        const calls: Attack['calls'] = [
          ['anvil_setBalance', [VICTIM, BALANCE]],
          ['eth_sendRawTransaction', [raw]],
          ['evm_mine', []],
        ];
        const pages = [`http://127.0.0.1:${String(port)}`, `http://evil.test:${String(port)}`];
        for (const origin of pages) {
          const urls = ports.flatMap((one) => [
            `http://127.0.0.1:${String(one)}/`,
            `http://127.0.0.1:${String(one)}/rpc`,
          ]);
          const page = await openAt(origin);
          expect([origin, await attack(page, { urls, calls })]).toEqual([origin, []]);
          expect(await stateOf(platform)).toEqual(before);
          await page.context().close();
        }
        // Rebound: the page and the port are one origin, and only the name tells.
        for (const one of ports) {
          const origin = `http://evil.test:${String(one)}`;
          const page = await reboundAt(origin);
          expect([origin, await attack(page, { urls: [`${origin}/`, `${origin}/rpc`], calls })]).toEqual([
            origin,
            [],
          ]);
          expect(await stateOf(platform)).toEqual(before);
          await page.context().close();
        }
      });
    },
    LONG,
  );

  it(
    'asks the chain and sends to it where its origin is named, as a dapp does; a page beside it does not',
    async () => {
      const dapp = `http://dapp.evil.test:${String(port)}`;
      await withPlatform('allowed', [dapp], async (platform) => {
        const raw = await signedTransfer();
        const send = (page: Page, method: string, params: readonly Json[]): Promise<string> => {
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
          const init = JSON.stringify({
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
          return page.evaluate(
            `fetch(${JSON.stringify(platform.rpcUrl)}, ${init}).then((one) => one.text(), () => 'refused')`,
          );
        };
        const other = await openAt(`http://other.evil.test:${String(port)}`);
        expect(await send(other, 'eth_chainId', [])).toBe('refused');
        expect(await send(other, 'eth_sendRawTransaction', [raw])).toBe('refused');
        const page = await openAt(dapp);
        expect(await send(page, 'eth_chainId', [])).toContain('0x7a69');
        expect(await send(page, 'anvil_setBalance', [VICTIM, BALANCE])).toContain('not available');
        expect(await send(page, 'eth_sendRawTransaction', [raw])).toMatch(/"result":"0x[0-9a-f]{64}"/);
        const state = () => stateOf(platform);
        await expect.poll(async () => at(await state(), 'balance')).toBe('0x1');
      });
    },
    LONG,
  );
});
