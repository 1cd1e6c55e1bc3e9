// npm run bench:tenants: what a second tenant of a hosted platform notices while a first one attacks it from outside, over
// raw sockets: silent and endless uploads, deep and long bodies, batches of endless calls, thousands of wallets and
// sessions. Each line names an attack, what the attacker was answered, how long a record of the second tenant took until
// it stood on the chain, and the slowest answer of /health meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { Pool } from 'undici';

const folder = mkdtempSync(join(tmpdir(), 'bench-tenants-'));
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const child = spawn(process.execPath, [main, 'platform', 'start', '--hosted', '--port', '0'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const registration = join(folder, '.windlass', 'platform.json');
while (!existsSync(registration)) await pause(100);
const { api_url: url, client_id, client_secret } = JSON.parse(readFileSync(registration, 'utf8'));
const pool = new Pool(url, { connections: 8 });

/** Requests of one key. */
function clientOf(key) {
  const ask = async (method, path, body) => {
    const headers = { client_id: key.client_id, client_secret: key.client_secret };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await pool.request(sent);
    return { status: answer.statusCode, body: await answer.body.json() };
  };
  return { key, get: (path) => ask('GET', path), post: (path, body) => ask('POST', path, body) };
}

const operator = clientOf({ client_id, client_secret });
async function tenant(name) {
  const { body } = await operator.post('/_platform/keys', {
    name,
    organisation: name,
    scopes: ['read', 'write', 'operate'],
  });
  return clientOf(body.result);
}
let attacker = await tenant('attacker');
const victim = await tenant('victim');

const { body: made } = await victim.post('/_platform/wallets', { name: 'signer' });
const signer = made.result.address;
await victim.post('/api/audit/contracts', { name: 'Trail', field: { encrypt_data: false } });
let trail;
while (trail === undefined) {
  await pause(200);
  trail = (await victim.get('/api/audit/contracts')).body.result[0]?.contract_address;
}

/** Writes a record, and answers the seconds until it stands. */
async function record() {
  const began = performance.now();
  const { status, body } = await victim.post('/api/audit/audit', {
    wallet_address: signer,
    contract_address: trail,
    metadata: `record ${String(began)}`,
  });
  if (status !== 200) return `refused with ${String(status)}: ${body.message}`;
  const hash = body.result.transactionHash;
  for (;;) {
    const { status: found } = await victim.get(`/api/contract/transactions/${hash}/receipt`);
    const seconds = (performance.now() - began) / 1000;
    if (found === 200) return `${seconds.toFixed(2)} s`;
    if (seconds > 60) return 'not within 60 s';
    await pause(250);
  }
}

/** A raw connection that remembers how it was answered. */
function raw(bytes) {
  const { port } = new URL(url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  const state = { socket, said: '', ended: false };
  socket.on('data', (part) => (state.said += part.toString('latin1').slice(0, 2000)));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.ended = true));
  for (const part of bytes) socket.write(part);
  return state;
}

function head(path, headers, key = attacker.key) {
  const all = { host: '127.0.0.1', client_id: key.client_id, client_secret: key.client_secret, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=x' };
const MINT = '/api/certificate/mint-certificate-large';

function whole(path, body, headers = JSON_TYPE) {
  return raw([head(path, { ...headers, 'content-length': Buffer.byteLength(body) }), body]);
}

const ENDLESS_AT = '0x00000000000000000000000000000000000000ff';
const endless = (id) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [{ to: ENDLESS_AT }, 'latest', { [ENDLESS_AT]: { code: '0x5b61100060002050600056' } }],
});

const many = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const part = (name, value) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** Sends many requests, some at a time; answers their raw states or statuses. */
async function flood(count, width, send) {
  const statuses = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      statuses.push(await send(next).catch(() => 0));
    }
  };
  await Promise.all(many(width, worker));
  return statuses;
}

const ATTACKS = {
  'nothing at all': async () => [],
  '16 silent uploads of 32 MB': async () =>
    many(16, () => raw([head(MINT, { ...FORM_TYPE, 'content-length': 32_000_000 })])),
  '200 silent uploads': async () =>
    many(200, () => raw([head(MINT, { ...FORM_TYPE, 'content-length': 32_000_000 })])),
  '200 silent JSON bodies': async () =>
    many(200, () => raw([head('/api/audit/tag', { ...JSON_TYPE, 'content-length': 60_000 })])),
  '300 connections without headers': async () => many(300, () => raw(['POST / HTTP/1.1\r\nHost: x\r\n'])),
  '32 MB of [, six times': async () => many(6, () => whole('/api/audit/tag', '['.repeat(32_000_000))),
  '10 MB of [ where deployments go': async () =>
    many(6, () => whole('/api/contract/projects/p/versions/v/deploy', '['.repeat(9_000_000))),
  '2,000,000 ids': async () => [whole('/api/audit/audit', `{"tag_id":[${'1,'.repeat(1_999_999)}1]}`)],
  '90,000 ids': async () => many(20, () => whole('/api/audit/audit', `{"tag_id":[${'1,'.repeat(89_999)}1]}`)),
  'deep names in forms': async () =>
    many(20, () => whole(MINT, `${part(`a${'[b]'.repeat(2000)}`, '1').repeat(50)}--x--\r\n`, FORM_TYPE)),
  'deep names in URL-encoded forms': async () =>
    many(20, () =>
      whole('/api/audit/tag', `a${'[b]'.repeat(15_000)}=1`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ),
  '100,000 fields': async () =>
    many(5, () => whole(MINT, `${part('f', '1').repeat(100_000)}--x--\r\n`, FORM_TYPE)),
  'packed bodies': async () => {
    const body = gzipSync(Buffer.alloc(50_000_000, 0x20));
    return many(20, () =>
      raw([
        head('/api/audit/tag', { ...JSON_TYPE, 'content-encoding': 'gzip', 'content-length': body.length }),
        body,
      ]),
    );
  },
  'chunks without end': async () =>
    many(20, () => {
      const state = raw([head(MINT, { ...FORM_TYPE, 'transfer-encoding': 'chunked' })]);
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const push = () => {
        if (!state.ended && state.said === '' && state.socket.write(chunk)) setImmediate(push);
        else if (!state.ended && state.said === '') state.socket.once('drain', push);
      };
      push();
      return state;
    }),
  '250 batches of endless calls': async () =>
    many(250, () => whole('/rpc', JSON.stringify(many(100, endless)))),
  '250 endless estimates': async () =>
    many(250, (id) => whole('/rpc', JSON.stringify({ ...endless(id), method: 'eth_estimateGas' }))),
  '5,000 wallets': () =>
    flood(
      5000,
      32,
      async (at) => (await attacker.post('/_platform/wallets', { name: `w${String(at)}` })).status,
    ),
  '2,000 console links': () =>
    flood(2000, 32, async () => (await attacker.post('/_platform/console-link', {})).status),
  '3,000 wrong keys': () =>
    flood(3000, 32, async (at) => {
      const answer = await pool.request({
        method: 'GET',
        path: '/api/audit/tag',
        headers: { client_id: `x${String(at)}`, client_secret: 'y' },
      });
      await answer.body.dump();
      return answer.statusCode;
    }),
};

/** How often each status came. */
function told(answers) {
  const statuses = answers.map((one) =>
    typeof one === 'number'
      ? one
      : (/^HTTP\/1\.1 (\d{3})/.exec(one.said)?.[1] ?? (one.ended ? 'closed' : 'open')),
  );
  const counts = new Map();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${String(count)} × ${String(status)}`).join(', ') || '-';
}

/** The memory of the platform's process, in MB. */
function memory() {
  const text = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
}

/** Asks for /health again and again, in a thread of its own: what this one is busy with must not count. */
const WATCH = `const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true });
let slowest = 0;
parentPort.on('message', () => { parentPort.postMessage(slowest); slowest = 0; });
const ask = () => {
  const began = performance.now();
  http.get(workerData + '/health', { agent }, (answer) => {
    answer.resume().on('end', () => {
      slowest = Math.max(slowest, performance.now() - began);
      setTimeout(ask, 100);
    });
  }).on('error', () => setTimeout(ask, 100));
};
ask();`;
const watch = new Worker(WATCH, { eval: true, workerData: url });

/** The slowest answer since this was asked for the last time, in milliseconds. */
async function slowestAnswer() {
  const answer = once(watch, 'message');
  watch.postMessage('');
  const [slowest] = await answer;
  return slowest;
}

let most = 0;
const remembering = setInterval(() => {
  if (process.platform === 'linux') most = Math.max(most, memory());
}, 200);

const only = process.argv[2];
let count = 0;
for (const [name, attack] of Object.entries(ATTACKS)) {
  if (only !== undefined && !name.includes(only)) continue;
  attacker = await tenant(`attacker-${String((count += 1))}`);
  await slowestAnswer();
  most = 0;
  const under = attack();
  await pause(300);
  const took = [await record(), await record()];
  const answers = await under;
  const until = performance.now() + 25_000;
  while (
    performance.now() < until &&
    answers.some((one) => typeof one !== 'number' && one.said === '' && !one.ended)
  )
    await pause(200);
  for (const one of answers) if (typeof one !== 'number') one.socket.destroy();
  const figures = `records ${took.join(' and ')}, /health ${(await slowestAnswer()).toFixed(0)} ms, ${String(most)} MB`;
  process.stdout.write(`${name}: ${told(answers)}\n  ${figures}\n`);
}
clearInterval(remembering);
await watch.terminate();
await pool.close();
child.kill('SIGTERM');
await new Promise((resolve) => child.once('exit', resolve));
rmSync(folder, { recursive: true });
