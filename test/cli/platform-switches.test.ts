import { describe, expect, it } from 'vitest';
import { platformSwitches } from '../../src/cli/platform-switches.js';
import { inFolder, windlass } from './command.js';

describe('a node instead of the embedded chain', () => {
  it.each([
    [['--rpc', 'http://127.0.0.1:1'], 'PLATFORM_START'],
    [['--rpc-url', 'http://127.0.0.1:1'], 'PLATFORM_START'],
    [['--rpc', 'http://127.0.0.1:1', '--rpc-url', 'http://127.0.0.1:1'], 'CLI_USAGE'],
  ])(
    'is named with --rpc, and once: %j',
    async (flags, code) => {
      await inFolder(async (folder) => {
        const started = await windlass(['platform', 'start', ...flags], { cwd: folder });
        expect(started.stderr).toContain(code);
      });
    },
    60_000,
  );
});

describe('a platform that does not start', () => {
  it('says why once, whether it was to run detached or not', async () => {
    await inFolder(async (folder) => {
      const start = ['platform', 'start', '--rpc', 'http://127.0.0.1:1'];
      const [attached, detached] = [
        await windlass(start, { cwd: folder }),
        await windlass([...start, '--detach'], { cwd: folder }),
      ];
      expect(detached.code).toBe(attached.code);
      expect(detached.stderr.trim()).toBe(attached.stderr.trim());
      expect(attached.stderr.match(/PLATFORM_START/g)).toHaveLength(1);
    });
  }, 60_000);
});

describe('the switches of the platform', () => {
  it('are read from pairs, several words together', () => {
    const pairs = [
      'capabilities=none',
      'redelivery=four-times',
      'compiled=done',
      'deploying=busy',
      'allowRedeploy=no',
    ];
    expect(platformSwitches(pairs)).toEqual({
      capabilities: [],
      redelivery: 'four-times',
      statusWords: { compiled: 'done', deploying: 'busy' },
      allowRedeploy: false,
    });
    const limited = ['capabilities=receipts,utils', 'requestsPerMinute=50', 'storedBytes=5000000000'];
    expect(platformSwitches(limited)).toEqual({
      capabilities: ['receipts', 'utils'],
      limits: { requestsPerMinute: 50, storedBytes: 5_000_000_000 },
    });
  });

  it.each([
    'colour=red',
    'redelivery=never',
    'capabilities=projects,all',
    'requestsPerMinute=0',
    'storedBytes=1GB',
    'faultControls=maybe',
    'refusals',
    '__proto__=x',
  ])('refuse %s', (pair) => {
    expect(() => platformSwitches([pair])).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }) as Error);
  });

  it('hold for a platform that runs detached', async () => {
    await inFolder(async (folder) => {
      const run = (...args: readonly string[]) => windlass(args, { cwd: folder });
      const flags = ['--switch', 'capabilities=none', '--switch', 'refusals=envelope', '--format', 'json'];
      const started = await run('platform', 'start', '--detach', ...flags);
      expect(started).toMatchObject({ code: 0 });
      try {
        const { api_url } = JSON.parse(started.stdout) as { readonly api_url: string };
        expect((await fetch(`${api_url}/api/contract/projects`)).status).toBe(404);
        const refused = await fetch(`${api_url}/api/audit/audit/1`);
        expect([refused.status, await refused.json()]).toEqual([
          200,
          { status: 401, message: 'Unauthenticated.' },
        ]);
        expect((await run('platform', 'project', 'create', 'Registry')).code).toBe(0);
      } finally {
        expect((await run('platform', 'stop')).code).toBe(0);
      }
    });
  }, 60_000);
});
