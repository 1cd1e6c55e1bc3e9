import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass } from './command.js';

const LONG = 240_000;
const HOSTED = [
  'start',
  '--detach',
  '--hosted',
  '--public-url',
  'https://ledger.example.com',
  '--format',
  'json',
];

describe('a hosted platform from the command line', () => {
  it(
    'is moved to another folder with its wallets, keeps its keys under a new key, and refuses the old one',
    async () => {
      await inFolder(async (first) => {
        await inFolder(async (second) => {
          const at = (cwd: string, env: Record<string, string> = {}) => ({
            run: (...args: readonly string[]) => windlass(['platform', ...args], { cwd, env }),
          });
          const old = { WINDLASS_PLATFORM_KEK: 'ab'.repeat(32) };
          const here = at(first, old);
          const started = await here.run(...HOSTED);
          expect(started.code).toBe(0);
          expect(JSON.parse(started.stdout)).toMatchObject({ api_url: 'https://ledger.example.com' });
          expect((await here.run('wallet', 'create', 'deployer')).code).toBe(0);
          const wallets = (await here.run('wallet', 'list', '--format', 'json')).stdout;
          const archive = join(first, 'platform.gz');
          expect((await here.run('export', archive)).code).toBe(5);
          expect((await here.run('stop')).code).toBe(0);

          expect((await here.run('export', archive)).code).toBe(0);
          expect((await stat(archive)).mode & 0o077).toBe(0);
          expect((await here.run('export', archive)).code).toBe(3);
          const there = at(second, old);
          const bytes = await readFile(archive);
          const cut = join(second, 'cut.gz');
          await writeFile(cut, bytes);
          await truncate(cut, bytes.length - 40);
          const refused = await there.run('import', cut);
          expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('PLATFORM_DATA')]);
          expect((await there.run('import', archive)).code).toBe(0);
          expect((await there.run('import', archive)).code).toBe(3);

          expect((await there.run('rotate-key', '--to', 'new.key')).code).toBe(0);
          expect((await stat(join(second, 'new.key'))).mode & 0o077).toBe(0);
          const before = await there.run(...HOSTED);
          expect([before.code, before.stderr]).toEqual([1, expect.stringContaining('key-encryption key')]);
          const moved = at(second);
          expect((await moved.run(...HOSTED, '--kek-file', 'new.key')).code).toBe(0);
          expect((await moved.run('wallet', 'list', '--format', 'json')).stdout).toBe(wallets);
          expect((await moved.run('stop')).code).toBe(0);
        });
      });
    },
    LONG,
  );

  it.each([
    [['--database', 'postgres://user:secret@127.0.0.1/db']],
    [['--database', 'mysql://127.0.0.1/db']],
    [['--public-url', 'nowhere']],
    [['--rate-limit', 'much']],
    [['--callback-ports', '443,0']],
    [['--callback-ports', '9000-8000']],
    [['--callback-ports', '70000']],
    [['--callback-ports', 'https']],
    [['--log', 'xml']],
    [['--kek-file', 'missing.key']],
  ])('refuses %j, and shows no secret', async (flags) => {
    await inFolder(async (cwd) => {
      const ended = await windlass(['platform', 'start', ...flags], { cwd });
      expect(ended.code).toBeGreaterThan(2);
      expect(ended.stderr).not.toContain('secret@');
    });
  });
});
