import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { DEVELOPMENT_MNEMONIC } from './key-tree.js';

/** Time of the embedded chain's first block, in seconds: fixed, so that equal requests give equal chains. */
const GENESIS_TIMESTAMP = 1_700_000_000;

/** A running node. */
export interface Anvil {
  readonly url: string;
  /** Settles when the process has ended, wanted or not. */
  readonly exited: Promise<void>;
  /** Ends the process at once; its state must have been saved before. */
  kill(): Promise<void>;
}

/** How to start a node. */
export interface AnvilOptions {
  readonly chainId: number;
  /** Folder of its own for what it spills to disk. */
  readonly cacheDir: string;
  /** State file to begin with; absent: genesis. */
  readonly statePath?: string;
  /** Gives ether to the ten accounts of the development mnemonic. */
  readonly fundDevelopmentAccounts: boolean;
}

/**
 * Ends the node when the platform dies, however it dies: the shell waits on a pipe that the platform holds open.
 * POSIX only; elsewhere the node is an ordinary child.
 */
const GUARD =
  'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; (cat <&3 >/dev/null; kill -9 $pid 2>/dev/null) & wait $pid';

const START_TIMEOUT = 20_000;

/**
 * Starts Anvil without automatic mining, without kept history (its default fills the disk) and without fees.
 *
 * @throws Error when no binary fits this system, or it ends or stays silent instead of listening
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const command = [anvilBinary(), ...anvilArguments(options)];
  const [program = '', ...args] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', GUARD, 'sh', ...command];
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      child.stdin.destroy();
      resolve();
    });
  });
  child.stdin.on('error', () => undefined);
  const kill = async (): Promise<void> => {
    if (process.platform === 'win32') child.kill();
    child.stdin.destroy();
    await exited;
  };
  try {
    return { url: await listeningUrl(child, exited), exited, kill };
  } catch (cause) {
    await kill();
    throw cause;
  }
}

function anvilArguments({ chainId, cacheDir, statePath, fundDevelopmentAccounts }: AnvilOptions): string[] {
  const fixed =
    '--host 127.0.0.1 --port 0 --no-mining --order fifo --prune-history --no-request-size-limit ' +
    '--base-fee 0 --gas-price 0 --gas-limit 1000000000000 --disable-default-create2-deployer';
  const args = [...fixed.split(' '), '--chain-id', String(chainId), '--cache-path', cacheDir];
  args.push('--timestamp', String(GENESIS_TIMESTAMP), '--mnemonic', DEVELOPMENT_MNEMONIC);
  args.push('--accounts', fundDevelopmentAccounts ? '10' : '0');
  if (statePath !== undefined) args.push('--load-state', statePath);
  return args;
}

function anvilBinary(): string {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/${file}`;
  try {
    return createRequire(require.resolve('@foundry-rs/anvil/package.json')).resolve(name);
  } catch (cause) {
    const system = `${process.platform} ${process.arch}`;
    throw new Error(`no Anvil binary for ${system} is installed; give the URL of a node instead`, { cause });
  }
}

async function listeningUrl(child: ChildProcess, exited: Promise<void>): Promise<string> {
  const said: string[] = [];
  const listening = new Promise<string>((resolve) => {
    child.stderr?.on('data', (text: Buffer) => {
      if (said.length < 50) said.push(text.toString());
    });
    child.stdout?.on('data', (text: Buffer) => {
      if (said.length < 50) said.push(text.toString());
      const match = /Listening on (127\.0\.0\.1:\d+)/.exec(said.join(''));
      if (match?.[1] !== undefined) resolve(`http://${match[1]}`);
    });
  });
  const timeout = new Promise<void>((resolve) => {
    setTimeout(resolve, START_TIMEOUT).unref();
  });
  const url = await Promise.race([listening, exited, timeout]);
  if (typeof url !== 'string') throw new Error(`Anvil did not start: ${said.join('').slice(-500).trim()}`);
  child.stdout?.removeAllListeners('data').resume();
  return url;
}
