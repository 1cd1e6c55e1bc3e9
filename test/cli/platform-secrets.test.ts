import { readdir, readFile, stat, symlink, writeFile, mkdir, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass, type Ended } from './command.js';

const LONG = 120_000;

/** Every file below a folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

/** Files that hold one of some texts. */
async function holding(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const files = await filesIn(folder);
  const found = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      return texts.some((text) => bytes.includes(text));
    }),
  );
  return files.filter((_file, index) => found[index] === true);
}

interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

const registered = async (folder: string): Promise<Registered> =>
  JSON.parse(await readFile(join(folder, '.windlass', 'platform.json'), 'utf8')) as Registered;

describe.each([
  ['on loopback', []],
  ['hosted', ['--hosted', '--public-url', 'https://ledger.example.com', '--log', 'json']],
] as const)('a platform that is left running %s', (_name, flags) => {
  it(
    'keeps what opens it in its registration alone, and nowhere once it is stopped',
    async () => {
      await inFolder(async (folder) => {
        const run = (...args: readonly string[]): Promise<Ended> =>
          windlass(['platform', ...args], { cwd: folder });
        const log = join(folder, '.windlass', 'platform.log');
        await mkdir(join(folder, '.windlass'));
        await writeFile(log, 'what an older release wrote: client_secret sk_old');
        await chmod(log, 0o644);
        const told = [await run('start', '--detach', ...flags)];
        expect(told[0]?.code).toBe(0);
        const { client_secret } = await registered(folder);
        const linked = await run('console', '--format', 'json');
        expect(linked.code).toBe(0);
        const code = /#\/sign-in\/([\w-]+)/.exec(linked.stdout)?.[1] ?? 'none';
        expect(code).not.toBe('none');
        for (const command of [
          ['status'],
          ['status', '--format', 'json'],
          ['key', 'list', '--format', 'json'],
        ])
          told.push(await run(...command));
        expect(await holding(folder, [client_secret, code])).toEqual([
          join(folder, '.windlass', 'platform.json'),
        ]);
        expect((await stat(join(folder, '.windlass', 'platform.json'))).mode & 0o077).toBe(0);
        expect((await stat(log)).mode & 0o077).toBe(0);
        expect(await readFile(log, 'utf8')).not.toMatch(/sk_|#\/sign-in/);
        told.push(await run('stop'));
        expect(await holding(folder, [client_secret, code])).toEqual([]);
        for (const { stdout, stderr } of told)
          for (const secret of [client_secret, code]) expect(stdout + stderr).not.toContain(secret);
      });
    },
    LONG,
  );
});

describe('the log of a platform that is left running', () => {
  it(
    'is a file of its own, whatever lies in its place',
    async () => {
      await inFolder(async (folder) => {
        const precious = join(folder, 'precious');
        await writeFile(precious, 'mine');
        await mkdir(join(folder, '.windlass'));
        await symlink(precious, join(folder, '.windlass', 'platform.log'));
        const run = (...args: readonly string[]) => windlass(['platform', ...args], { cwd: folder });
        expect((await run('start', '--detach')).code).toBe(0);
        expect((await run('stop')).code).toBe(0);
        expect(await readFile(precious, 'utf8')).toBe('mine');
      });
    },
    LONG,
  );
});
