import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPlatform, type Platform, type PlatformOptions } from '../../src/platform/platform.js';
import { CompilerThreads } from '../../src/platform/compiler/threads.js';
import { openRegistry } from '../support/package-registry.js';
import { clientOf, textAt } from './client.js';
import { releasesOf } from './releases.js';

/** A platform whose registry a test publishes to, and what releases to it. */
async function openPlatform(registry: string, options: Partial<PlatformOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'packages-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const start = async (url = registry): Promise<Platform> => {
    const about = { dataDir: join(folder, 'data'), cacheDir: join(folder, 'cache'), bcryptCost: 4 };
    const platform = await startPlatform({ ...about, packages: { url }, ...options });
    onTestFinished(() => platform.stop());
    return platform;
  };
  return { folder, start, first: await start() };
}

function toolsOf({ apiUrl, apiKey }: Platform) {
  return releasesOf(apiUrl, apiKey!, clientOf(apiUrl, apiKey!));
}

/** What became of one version of a new project. */
async function outcome(platform: Platform, source: string, packages: readonly string[]) {
  const tools = toolsOf(platform);
  const project = await tools.project(`P${String(Math.random()).slice(2)}`);
  const submission = { packages, sources: { 'Main.sol': source } };
  const { body } = await tools.submit(`/api/contract/projects/${project}/versions`, submission);
  return tools.settled(project, textAt(body, 'result.slug'));
}

const main = (path: string): string => `pragma solidity ^0.8.0; import "${path}"; contract Main {}`;
const lib = 'pragma solidity ^0.8.0; library L {}';

describe('a version that imports from packages', { timeout: 120_000 }, () => {
  it('is compiled with their sources, each package with its own version of another', async () => {
    const registry = await openRegistry(
      {
        name: 'a',
        manifest: { dependencies: { lib: '1' } },
        files: { 'A.sol': `${lib.replace('L', 'A')} import "lib/L.sol";` },
      },
      {
        name: 'b',
        manifest: { dependencies: { lib: '2' } },
        files: { 'B.sol': `${lib.replace('L', 'B')} import "lib/L.sol"; contract UsesTwo is Two {}` },
      },
      { name: 'lib', version: '1.0.0', files: { 'L.sol': 'pragma solidity ^0.8.0; contract One {}' } },
      { name: 'lib', version: '2.0.0', files: { 'L.sol': 'pragma solidity ^0.8.0; contract Two {}' } },
    );
    const { first } = await openPlatform(registry.url);
    const source =
      'pragma solidity ^0.8.0; import "a/A.sol"; import "b/B.sol"; contract Main is UsesTwo { One one; }';
    expect(await outcome(first, source, ['a@1.0.0', 'b@1.0.0'])).toMatchObject({ status: 'compiled' });
  });

  it('fails with package, trail and reason where one is reached that lies elsewhere, and nothing is run or read', async () => {
    const ran: string[] = [];
    const git = createServer((request, response) => {
      ran.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => git.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void git.close());
    const origin = `127.0.0.1:${String((git.address() as AddressInfo).port)}`;
    const dependencies = {
      git: `git+http://${origin}/a.git`,
      file: 'file:/etc/hostname',
      tgz: `http://${origin}/a.tgz`,
    };
    const files = Object.fromEntries(
      Object.keys(dependencies).map((name) => [`${name}.sol`, `import "${name}/X.sol";`]),
    );
    const registry = await openRegistry({
      name: 'top',
      manifest: { dependencies },
      files: { ...files, 'Fine.sol': lib },
    });
    const { first } = await openPlatform(registry.url);
    for (const name of Object.keys(dependencies)) {
      const { status, latest_error: error } = await outcome(first, main(`top/${name}.sol`), ['top@1.0.0']);
      expect(status).toBe('compile_failed');
      expect(error).toMatch(
        new RegExp(`${name}@.*only packages of the registry are used.*needed by top@1.0.0`, 's'),
      );
      expect(error).toContain(`top/${name}.sol`);
    }
    expect(ran).toEqual([]);
    expect(await outcome(first, main('top/Fine.sol'), ['top@1.0.0'])).toMatchObject({ status: 'compiled' });
  });

  it('waits over a stop of the platform that breaks its fetch off, and is compiled at the next start', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const asked = new Promise((resolve) => silent.once('request', resolve));
    const { first, start } = await openPlatform(
      `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/`,
    );
    const tools = toolsOf(first);
    const project = await tools.project('Broken off');
    const submission = { packages: ['x@1.0.0'], sources: { 'Main.sol': main('x/X.sol') } };
    const { body } = await tools.submit(`/api/contract/projects/${project}/versions`, submission);
    await asked;
    await first.stop();
    const registry = await openRegistry({ name: 'x', files: { 'X.sol': lib } });
    const again = await start(registry.url);
    const version = await toolsOf(again).settled(project, textAt(body, 'result.slug'));
    expect(version).toMatchObject({ status: 'compiled', latest_error: '' });
  });

  it('leaves nothing but proven tarballs, choices and results in the cache', async () => {
    const registry = await openRegistry({
      name: 'x',
      files: { 'X.sol': lib, 'run.js': '' },
      entries: [{ path: 'package/passwd.sol', type: '2', linkTo: '/etc/passwd' }],
    });
    const { first, folder } = await openPlatform(registry.url);
    const { latest_error: error } = await outcome(first, main('x/passwd.sol'), ['x@1.0.0']);
    expect(error).toContain('the package x has no passwd.sol');
    expect(await outcome(first, main('x/X.sol'), ['x@1.0.0'])).toMatchObject({ status: 'compiled' });
    expect((await readdir(join(folder, 'cache'))).sort()).toEqual(['choices', 'compiled', 'tarballs']);
  });
});

describe('a compiler', () => {
  it('sees nothing of the environment, the arguments or the flags of its platform', async () => {
    process.env['WINDLASS_MARKER_KEK'] = 'marker';
    onTestFinished(() => void delete process.env['WINDLASS_MARKER_KEK']);
    const threads = new CompilerThreads(1);
    onTestFinished(() => threads.close());
    const spy = 'throw new Error(JSON.stringify([process.env, process.argv.slice(2), process.execArgv]))';
    const order = { compiler: 'spy', input: '{}', files: {}, missing: {} };
    const answer = await threads.run(order, async () => Buffer.from(spy));
    expect(answer).toEqual({ failure: JSON.stringify([{}, [], ['--no-warnings']]) });
  });
});
