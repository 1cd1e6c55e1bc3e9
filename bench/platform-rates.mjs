// npm run bench:platform [-- --mints N]: how much of what the machine can do is left when a request goes through the
// whole platform. Every figure is a ratio of two rates measured one after the other, because rates alone tell the
// machine: mints against the same number of signed transactions sent straight to a node, audit writes against bcrypt
// alone, versions against the compiler alone. The certificate of each mint has an image, a document and a callback.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hash } from '@node-rs/bcrypt';
import { Pool } from 'undici';
import { clientOf, prepare, SOURCE, submitVersion } from './platform/load.mjs';
import { formOf } from './platform/form.mjs';
import { startProcess } from './platform/process.mjs';
import { openReceiver } from './platform/receiver.mjs';

const { values } = parseArgs({ options: { mints: { type: 'string', default: '400' } } });
const count = Number(values.mints);
if (!(count >= 10)) {
  process.stderr.write('usage: npm run bench:platform [-- --mints N]\n');
  process.exit(3);
}

const built = (path) => import(new URL(`../dist/platform/${path}.js`, import.meta.url).href);
const { startAnvil } = await built('chain/node/anvil');
const { openIpc } = await built('chain/node/ipc');
const { mine, sendAll } = await built('chain/blocks');
const { createAddress, signTransaction } = await built('chain/signing');
const { DEVELOPMENT_MNEMONIC, keyAt, seedOfMnemonic } = await built('chain/key-tree');
const { certificateCreation, certificateMint } = await built('contracts/certificate');
const { compile } = await built('compiler/compile');
const { CompilerThreads } = await built('compiler/threads');

const folder = mkdtempSync(join(tmpdir(), 'bench-platform-'));
const cacheDir = join(tmpdir(), 'windlass-test-cache');
const AUDITS = 60;
const VERSIONS = 8;

/** Runs tasks, `width` at a time. */
async function together(width, tasks) {
  const rest = [...tasks];
  const worker = async () => {
    for (let task = rest.shift(); task; task = rest.shift()) await task();
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Things in a second. */
async function rateOf(things, work) {
  const began = performance.now();
  await work();
  return (things * 1000) / (performance.now() - began);
}

async function rawMints() {
  const node = await startAnvil({ chainId: 31337, cacheDir: folder, fundDevelopmentAccounts: true });
  const rpc = await openIpc(node.socket, 60_000);
  const key = keyAt(seedOfMnemonic(DEVELOPMENT_MNEMONIC), "m/44'/60'/0'/0/0");
  const [from] = await rpc.request('eth_accounts', []);
  const fees = { chainId: 31337, value: 0n, gasPrice: 0n, gasLimit: 16_000_000n };
  const creation = certificateCreation({ name: 'Bench', symbol: 'B', owner: from, maxSupply: 0 });
  const contract = signTransaction({ ...fees, nonce: 0, to: null, data: creation }, key);
  await sendAll(rpc, [contract.raw]);
  await mine(rpc, 1, 1_800_000_000);
  const to = createAddress(from, 0);
  const uri = `http://127.0.0.1:40000/files/${'a'.repeat(64)}/metadata.json`;
  const raws = Array.from({ length: count }, (_, index) => {
    const data = certificateMint(from, index + 1, uri);
    return signTransaction({ ...fees, nonce: index + 1, to, data }, key).raw;
  });
  const rate = await rateOf(count, async () => {
    for (let at = 0, number = 2; at < count; at += 50, number += 1) {
      await sendAll(rpc, raws.slice(at, at + 50));
      const { receipts } = await mine(rpc, number, 1_800_000_000 + number);
      if ([...receipts.values()].some(({ status }) => !status)) throw new Error('a raw mint failed');
    }
  });
  await rpc.close();
  await node.kill();
  return rate;
}

const receiver = await openReceiver();
const options = { dataDir: join(folder, 'data'), cacheDir, bcryptCost: 10 };
const platform = await startProcess(options);
const world = await prepare(platform, receiver);
const api = clientOf(platform);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

// A client that costs little: what is measured is the platform, and both share the cores.
const pool = new Pool(platform.apiUrl, { connections: 32 });
const { client_id, client_secret } = platform.apiKey;
const mint = (index) => async () => {
  const fields = {
    wallet_address: world.wallets[1],
    to: world.wallets[2],
    contract_address: world.diplomas,
    name: `Diploma ${index}`,
    description: 'd',
    attributes: '[]',
    callback_url: receiver.url(`mint-${index}`),
  };
  const { type, body } = formOf(Object.entries(fields), [['file', PNG, 'a.png']]);
  const headers = { client_id, client_secret, 'content-type': type };
  const path = '/api/certificate/mint-certificate';
  const answer = await pool.request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a mint was answered ${answer.statusCode} ${text}`);
};
/** Mints so many certificates, and waits for the callback of each. */
async function mintAll(from, to) {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  await together(32, numbers.map(mint));
  while (numbers.some((index) => !receiver.bodies.has(`mint-${index}`))) await pause(5);
}

// A platform that has just started compiles its own code: what a long run costs is measured after as many again.
await mintAll(0, count);
const mints = await rateOf(count, () => mintAll(count, 2 * count));
await pool.close();
const raw = await rawMints();

const metadata = JSON.stringify({ release: '1.0.0', note: 'x'.repeat(40) });
const audits = await rateOf(AUDITS, () =>
  together(
    8,
    Array.from({ length: AUDITS }, () => async () => {
      const body = { wallet_address: world.wallets[2], contract_address: world.trail, metadata };
      const answer = await api.post('/api/audit/audit', body);
      if (answer?.status !== 200) throw new Error(`an audit write was answered ${JSON.stringify(answer)}`);
    }),
  ),
);
const hashes = await rateOf(AUDITS, () =>
  together(
    2,
    Array.from({ length: AUDITS }, () => () => hash(metadata, 10)),
  ),
);

// Texts that nothing has compiled before: results of earlier compilations are kept.
let number = Math.floor(Math.random() * 1e9);
const fresh = () => Array.from({ length: VERSIONS }, () => SOURCE.replace('= 7', `= ${(number += 1)}`));
const texts = fresh();
const versions = await rateOf(VERSIONS, async () => {
  const made = await Promise.all(texts.map((text) => submitVersion(api, world.base, text)));
  for (const path of made) {
    while ((await api.get(path)).body.result.status === 'compile_queued') await pause(10);
  }
});
const threads = new CompilerThreads(2);
const job = (content) => ({
  compiler: '0.8.37',
  optimizer: { enabled: true, runs: 200 },
  sources: [{ filename: 'Store.sol', content }],
  packages: [],
});
const alone = (content) => () => compile(job(content), threads, { cacheDir, today: '2026-01-01' });
await together(2, [alone(SOURCE), alone(SOURCE)]);
const compiled = await rateOf(VERSIONS, () => together(2, fresh().map(alone)));
await threads.close();

platform.child.kill('SIGTERM');
await platform.gone;
receiver.close();
rmSync(folder, { recursive: true });

const line = (what, ours, bound, of) =>
  process.stdout.write(
    `${what.padEnd(9)} ${ours.toFixed(1).padStart(7)}/s  ${bound.toFixed(1).padStart(7)}/s ${of}  ratio ${(ours / bound).toFixed(2)}\n`,
  );
line('mints', mints, raw, 'raw signed transactions sent to the node');
line('audits', audits, hashes, 'bcrypt hashes of cost 10 alone');
line('versions', versions, compiled, 'compilations of the same sources alone');
