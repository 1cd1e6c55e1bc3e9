import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass, windlassProcess } from './command.js';

const LONG = 120_000;

type Run = (...args: readonly string[]) => ReturnType<typeof windlass>;
interface Pair {
  readonly client_id: string;
  readonly client_secret: string;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function at(json: string, key: string): unknown {
  return (JSON.parse(json) as Record<string, unknown>)[key];
}

/** Keys go by their id and by their client id, at once; the folder's own stays. */
async function revokesKeys(run: Run, apiUrl: string): Promise<void> {
  const made = [];
  for (const name of ['one', 'two'])
    made.push(JSON.parse((await run('key', 'create', name, '--format', 'json')).stdout) as Pair);
  const opens = async ({ client_id, client_secret }: Pair) =>
    (await fetch(`${apiUrl}/api/audit/tag`, { headers: { client_id, client_secret } })).status;
  const [one, two] = made as [Pair, Pair];
  const list = async () =>
    JSON.parse((await run('key', 'list', '--format', 'json')).stdout) as (Pair & { id: number })[];
  const idOf = async (pair: Pair) =>
    String((await list()).find(({ client_id }) => client_id === pair.client_id)?.id);

  expect([await opens(one), await opens(two)]).toEqual([200, 200]);
  expect((await run('key', 'revoke', await idOf(one))).code).toBe(0);
  expect([await opens(one), await opens(two)]).toEqual([401, 200]);
  expect((await run('key', 'revoke', two.client_id)).code).toBe(0);
  expect(await opens(two)).toBe(401);
  expect((await run('key', 'revoke', two.client_id)).code).toBe(3);
  const before = await list();
  const refused = await run('key', 'revoke', String(before[0]?.id));
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('REMOTE_REFUSED')]);
  expect(await list()).toEqual(before);
}

/** A key of another organisation opens that one's things only, and makes no keys of a third. */
async function separatesTenants(run: Run, apiUrl: string): Promise<void> {
  const made = await run('key', 'create', 'theirs', '--organisation', 'second', '--format', 'json');
  const { client_id, client_secret } = JSON.parse(made.stdout) as Pair;
  const headers = { client_id, client_secret, 'content-type': 'application/json' };
  const listed = await fetch(`${apiUrl}/api/contract/projects`, { headers });
  expect(await listed.json()).toMatchObject({ message: 'Success', result: [] });
  expect((await run('project', 'list')).stdout).toContain('registry');
  const body = JSON.stringify({ name: 'n', organisation: 'third' });
  const third = await fetch(`${apiUrl}/_platform/keys`, { method: 'POST', headers, body });
  expect(third.status).toBe(403);
}

/** A key gets the scopes and the end that are asked for, and no words that are none. */
async function limitsKeys(run: Run): Promise<void> {
  const made = await run('key', 'create', 'plans', '--scope', 'read', '--expires', '90d', '--format', 'json');
  expect(JSON.parse(made.stdout)).toMatchObject({
    scopes: ['read'],
    expires_at: expect.any(String) as string,
  });
  const both = await run(
    'key',
    'create',
    'both',
    '--scope',
    'read,write',
    '--scope',
    'operate',
    '--format',
    'json',
  );
  expect(JSON.parse(both.stdout)).toMatchObject({ scopes: ['read', 'write', 'operate'], expires_at: null });
  expect((await run('key', 'create', 'x', '--scope', 'admin')).code).toBe(3);
  expect((await run('key', 'create', 'x', '--expires', 'yesterday')).stderr).toContain('REMOTE_REFUSED');
}

describe('the embedded platform from the command line', () => {
  it(
    'starts, answers, makes things, refuses a second start, stops and resets',
    async () => {
      await inFolder(async (cwd) => {
        const run = (...args: readonly string[]) => windlass(['platform', ...args], { cwd });
        expect(await run('status', '--format', 'json')).toMatchObject({
          code: 0,
          stdout: '{"running":false}\n',
        });
        expect((await run('wallet', 'list')).stderr).toContain('PLATFORM_NOT_RUNNING');

        const started = await run('start', '--detach', '--format', 'json');
        expect(started.code).toBe(0);
        try {
          const status = JSON.parse((await run('status', '--format', 'json')).stdout) as Record<
            string,
            unknown
          >;
          expect(status).toEqual(JSON.parse(started.stdout));
          expect(Object.keys(status)).toEqual(expect.arrayContaining(['api_url', 'rpc_url', 'console_url']));
          expect((await stat(join(cwd, '.windlass/platform.json'))).mode & 0o077).toBe(0);

          const link = (await run('console')).stdout.trim();
          expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#\/sign-in\/[\w-]{43}$/);
          const script = await fetch(new URL('main.js', link));
          expect([script.status, script.headers.get('content-type')]).toEqual([
            200,
            'text/javascript; charset=utf-8',
          ]);

          expect((await run('start')).code).toBe(5);
          expect((await run('reset', '--yes')).code).toBe(5);

          const wallets = JSON.parse((await run('wallet', 'list', '--format', 'json')).stdout) as unknown[];
          expect(wallets).toHaveLength(10);
          expect((await run('wallet', 'create', 'eleventh')).code).toBe(0);
          expect((await run('wallet', 'list')).stdout.trimEnd().split('\n')).toHaveLength(12);
          expect((await run('project', 'create', 'Student Registry')).stdout).toContain('student-registry');
          expect((await run('project', 'list')).stdout).toContain('student-registry');
          expect((await run('key', 'create', 'ci')).stdout).toMatch(/sk_|client_secret/);
          const keys = await run('key', 'list');
          expect(keys.stdout).toContain('ci');
          expect(keys.stdout).not.toContain('secret');
          await revokesKeys(run, String(status['api_url']));
          await limitsKeys(run);
          await separatesTenants(run, String(status['api_url']));
          expect(await run('callbacks')).toMatchObject({ code: 0, stdout: '' });
          expect((await run('callbacks', '--resend', '999')).code).toBe(7);
        } finally {
          expect((await run('stop')).code).toBe(0);
        }
        const again = await run('start', '--detach', '--format', 'json');
        expect(at(again.stdout, 'api_url')).toBe(at(started.stdout, 'api_url'));
        expect((await run('stop')).code).toBe(0);
        expect((await run('stop')).code).toBe(0);
        expect(await exists(join(cwd, '.windlass/platform.json'))).toBe(false);
        expect((await run('reset')).code).toBe(3);
        expect((await run('reset', '--yes')).code).toBe(0);
        expect(await exists(join(cwd, '.windlass/platform'))).toBe(false);
      });
    },
    LONG,
  );
});

describe('the demo', () => {
  it(
    'tells the whole story, prints the addresses once and cleans up',
    async () => {
      const ended = await windlassProcess(['demo', '--template', 'minimal']);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toMatch(/^ {2}contract\.main\.NoticeBoard {2}0x[0-9a-fA-F]{40}\n$/);
      expect(ended.stderr).toContain('3 of 3 resources match');
      expect(ended.stderr).toContain('Nothing to do');
      const folder = /in (\/\S+)/.exec(ended.stderr)?.[1] ?? '';
      expect(folder).toContain('windlass-demo-');
      expect(await exists(folder)).toBe(false);
    },
    LONG,
  );

  it(
    'keeps the folder that it is given, and never overwrites one',
    async () => {
      await inFolder(async (cwd) => {
        expect((await windlass(['demo', 'mine', '--template', 'minimal'], { cwd })).code).toBe(0);
        expect(await exists(join(cwd, 'mine/windlass.local.lock.json'))).toBe(true);
        const again = await windlass(['demo', 'mine', '--template', 'minimal'], { cwd });
        expect(again.code).toBe(3);
        expect(again.stderr).toContain('INIT_NOT_EMPTY');
      });
    },
    LONG,
  );
});
