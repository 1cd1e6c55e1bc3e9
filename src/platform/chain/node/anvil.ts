import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { DEVELOPMENT_MNEMONIC } from '../key-tree.js';
import { privateSocket } from './private-socket.js';

/** Time of the embedded chain's first block, in seconds: fixed, so that equal requests give equal chains. */
const GENESIS_TIMESTAMP = 1_700_000_000;

/**
 * Where Anvil's own TCP port listens, which it opens whatever else it is told: the first of these that the system
 * admits. Nobody can connect to a multicast address, from this machine or another (RFC 1122, 4.2.3.10); where none can
 * be listened on, an address of this machine that nobody can guess; where there is only one, that.
 */
const HOSTS = ['239.255.255.255', unguessable, '127.0.0.1'] as const;

/** A running node. */
export interface Anvil {
  /** Path of the socket, or name of the pipe, on which it answers. */
  readonly socket: string;
  /** Address and port of its TCP port. */
  readonly listens: string;
  /** Takes the socket's name away: nobody can connect any more. */
  seal(): void;
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
 * Ends the node when the platform dies, however it dies: the shell waits on a pipe that the platform holds open. Then it
 * removes the folder of the socket, which is its name. POSIX only; elsewhere the node is an ordinary child.
 */
const GUARD =
  'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; ' +
  '(cat <&3 >/dev/null; kill -9 $pid 2>/dev/null; rm -rf -- "$0") & wait $pid';

const START_TIMEOUT = 20_000;

/**
 * Starts Anvil without automatic mining, without kept history (its default fills the disk) and without fees. It answers
 * on a socket in a folder of this user's own; its TCP port is nowhere that anybody can connect to, if the system lets it.
 *
 * @param hosts where the TCP port may be, in the order of trying
 * @throws Error when no binary fits this system, or it ends or stays silent instead of listening
 */
export async function startAnvil(
  options: AnvilOptions,
  hosts: readonly (string | (() => string))[] = HOSTS,
): Promise<Anvil> {
  const [host, ...others] = hosts;
  const address = typeof host === 'function' ? host() : (host ?? '');
  try {
    return await startAt(address, options);
  } catch (cause) {
    // Anvil says of an address that cannot be listened on what the system says.
    if (others.length === 0 || !/os error/.test(String(cause))) throw cause;
    return startAnvil(options, others);
  }
}

/** One of 16 million addresses that only this machine has. */
function unguessable(): string {
  const part = (): string => String(randomInt(1, 255));
  return `127.${part()}.${part()}.${part()}`;
}

async function startAt(host: string, options: AnvilOptions): Promise<Anvil> {
  const socket = privateSocket();
  const command = [anvilBinary(), '--host', host, '--ipc', socket.path, ...anvilArguments(options)];
  const [program = '', ...args] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', GUARD, socket.folder, ...command];
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    env: bareEnvironment(),
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
    socket.remove();
  };
  try {
    const listens = await listeningAt(child, exited);
    return { socket: socket.path, listens, exited, seal: () => socket.remove(), kill };
  } catch (cause) {
    await kill();
    throw cause;
  }
}

/** What a process needs of its surroundings: secrets of the platform stay with the platform. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'USERPROFILE'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function anvilArguments({ chainId, cacheDir, statePath, fundDevelopmentAccounts }: AnvilOptions): string[] {
  const fixed =
    '--port 0 --no-cors --no-mining --order fifo --prune-history --no-request-size-limit ' +
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

async function listeningAt(child: ChildProcess, exited: Promise<void>): Promise<string> {
  const said: string[] = [];
  const listening = new Promise<string>((resolve) => {
    child.stderr?.on('data', (text: Buffer) => {
      if (said.length < 50) said.push(text.toString());
    });
    child.stdout?.on('data', (text: Buffer) => {
      if (said.length < 50) said.push(text.toString());
      const match = /Listening on ([\d.]+:\d+)/.exec(said.join(''));
      if (match?.[1] !== undefined) resolve(match[1]);
    });
  });
  const timeout = new Promise<void>((resolve) => {
    setTimeout(resolve, START_TIMEOUT).unref();
  });
  const listens = await Promise.race([listening, exited, timeout]);
  if (typeof listens !== 'string')
    throw new Error(`Anvil did not start: ${said.join('').slice(-500).trim()}`);
  child.stdout?.removeAllListeners('data').resume();
  return listens;
}
