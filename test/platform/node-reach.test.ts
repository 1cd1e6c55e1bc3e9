import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startAnvil } from '../../src/platform/chain/node/anvil.js';
import { openIpc } from '../../src/platform/chain/node/ipc.js';
import { privateSocket } from '../../src/platform/chain/node/private-socket.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function folder(name = 'reach-'): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), name));
  undo.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function start(...more: readonly (readonly string[])[]) {
  const options = { chainId: 31_337, cacheDir: await folder(), fundDevelopmentAccounts: true };
  const node = await startAnvil(options, ...more);
  undo.push(() => node.kill());
  return node;
}

const connects = (to: { readonly host: string; readonly port: number } | { readonly path: string }) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(to);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Processes whose command line holds a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('the node of the embedded chain', () => {
  it('can be reached at no address of this machine', async () => {
    const node = await start();
    const [host = '', port = ''] = node.listens.split(':');
    const own = Object.values(networkInterfaces()).flatMap(
      (each) => each?.map(({ address }) => address) ?? [],
    );
    const addresses = [host, '127.0.0.1', '::1', '0.0.0.0', ...own];
    const reached = await Promise.all(addresses.map((one) => connects({ host: one, port: Number(port) })));
    expect(reached).toEqual(addresses.map(() => false));
  });

  it('listens on a socket of this user alone, and on none once the platform has its connections', async () => {
    const node = await start();
    expect(statSync(dirname(node.socket)).mode & 0o777).toBe(0o700);
    const rpc = await openIpc(node.socket, 5000, 1);
    node.seal();
    expect(existsSync(dirname(node.socket))).toBe(false);
    expect(await connects({ path: node.socket })).toBe(false);
    expect(await rpc.request('eth_chainId', [])).toBe('0x7a69');
    await rpc.close();
  });

  it('takes the next address where the system has no place for it on the first', async () => {
    const node = await start(['203.0.113.77', '127.0.0.1']);
    expect(node.listens).toMatch(/^127\.0\.0\.1:\d+$/);
    await expect(start(['203.0.113.77'])).rejects.toThrow(/os error/);
  });

  it('knows no secret of the platform, neither by its environment nor by its arguments', async () => {
    process.env['WINDLASS_PLATFORM_KEK'] = 'ab'.repeat(32);
    undo.push(async () => delete process.env['WINDLASS_PLATFORM_KEK']);
    const node = await start();
    const pids = processesWith(node.socket);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('WINDLASS');
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('abab');
    }
  });

  it('leaves no folder behind, also when the platform is killed before it connects', async () => {
    const cacheDir = await folder();
    const module = new URL('../../dist/platform/chain/node/anvil.js', import.meta.url).href;
    const script = `import { startAnvil } from ${JSON.stringify(module)};
      const options = { chainId: 1, cacheDir: ${JSON.stringify(cacheDir)}, fundDevelopmentAccounts: false };
      console.log((await startAnvil(options)).socket);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const path = await new Promise<string>((resolve) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    });
    expect(existsSync(dirname(path))).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(dirname(path)), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => processesWith(path), { timeout: 10_000 }).toEqual([]);
  });
});

describe('the name of a socket', () => {
  it('is short enough for every system, however long the path of the temporary folder is', async () => {
    const long = join(await folder(), 'x'.repeat(80), 'y'.repeat(60));
    await mkdir(long, { recursive: true });
    for (const temporary of [tmpdir(), long]) {
      const socket = privateSocket(temporary);
      expect(Buffer.byteLength(socket.path)).toBeLessThanOrEqual(103);
      expect(statSync(socket.folder).mode & 0o777).toBe(0o700);
      socket.remove();
      socket.remove();
      expect(existsSync(socket.folder)).toBe(false);
    }
  });
});
