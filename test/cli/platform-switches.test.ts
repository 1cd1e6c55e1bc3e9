import { describe, expect, it } from 'vitest';
import { platformSwitches } from '../../src/cli/platform-switches.js';
import { inFolder, windlass } from './command.js';

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
    expect(platformSwitches(['capabilities=receipts,utils', 'requestsPerMinute=50'])).toEqual({
      capabilities: ['receipts', 'utils'],
      limits: { requestsPerMinute: 50 },
    });
  });

  it.each([
    'colour=red',
    'redelivery=never',
    'capabilities=projects,all',
    'requestsPerMinute=0',
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
