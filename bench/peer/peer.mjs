import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../measure.mjs';
import { LINK } from '../plans.mjs';

const PEER = '@nomicfoundation/ignition-core';
const VERSION = '3.1.9';

/** The peer's package, from npm into a folder of temporary files that later runs find again. It is no dependency. */
export function installPeer() {
  const folder = join(tmpdir(), `windlass-bench-peer-${VERSION}`);
  const installed = join(folder, 'node_modules', PEER);
  if (!existsSync(join(installed, 'dist', 'src', 'index.js'))) {
    mkdirSync(folder, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--loglevel', 'error'];
    execFileSync('npm', ['install', ...flags, '--prefix', folder, `${PEER}@${VERSION}`]);
  }
  return installed;
}

/** A node of the kind that is embedded, but with history, which the peer reads; it mines at once, or a block each second. */
export async function openNode(blockSeconds) {
  const cacheDir = mkdtempSync(join(tmpdir(), 'windlass-bench-node-'));
  const flags = [
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--order',
    'fifo',
    '--base-fee',
    '0',
    '--gas-price',
    '0',
  ];
  const mining = blockSeconds === 0 ? [] : ['--block-time', String(blockSeconds)];
  const child = spawn(anvilBinary(), [...flags, ...mining, '--cache-path', cacheDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (bytes) => {
      said += bytes;
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the node ended: ${said.slice(-500)}`)));
  });
  const call = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json();
    if (error) throw new Error(error.message);
    return result;
  };
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(cacheDir, { recursive: true, force: true });
  };
  return { url, call, close };
}

function anvilBinary() {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`);
}

/** The peer deploys `count` contracts to a node, then once more with nothing to do; each in a process of its own. */
export async function peerDeploys(packageFolder, { url, call }, { count, shape }) {
  const scratch = mkdtempSync(join(tmpdir(), 'windlass-bench-deployment-'));
  const artifact = join(scratch, 'Link.json');
  writeFileSync(artifact, JSON.stringify(linkArtifact()));
  const script = join(import.meta.dirname, 'deploy.mjs');
  const args = [script, packageFolder, url, join(scratch, 'deployment'), artifact, String(count), shape];
  const nonce = async () =>
    Number(await call('eth_getTransactionCount', [(await call('eth_accounts', []))[0], 'latest']));
  const before = await nonce();
  const apply = await runNode(args);
  if ((await nonce()) - before !== count) throw new Error('the peer did not deploy what it was asked for');
  const again = await runNode(args);
  rmSync(scratch, { recursive: true });
  return { apply, again };
}

let compiled;

/** The contract of the plans, as a Hardhat artifact: what a peer's tools hand to it after compiling. */
function linkArtifact() {
  compiled ??= compileLink();
  return compiled;
}

function compileLink() {
  const solc = createRequire(import.meta.url)('solc');
  const input = {
    language: 'Solidity',
    sources: { 'Link.sol': { content: LINK } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode'] } },
    },
  };
  const { abi, evm } = JSON.parse(solc.compile(JSON.stringify(input))).contracts['Link.sol'].Link;
  return {
    _format: 'hh-sol-artifact-1',
    contractName: 'Link',
    sourceName: 'Link.sol',
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
    linkReferences: {},
    deployedLinkReferences: {},
    immutableReferences: evm.deployedBytecode.immutableReferences,
  };
}
