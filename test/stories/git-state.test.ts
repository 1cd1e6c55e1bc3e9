import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { registerPlatform } from '../../src/disk/platform-registration.js';
import { startPlatform } from '../../src/platform/platform.js';
import type { Effect } from '../../src/platform/server/truth.js';
import { inFolder, MAIN, windlass, windlassProcess, type Ended } from '../cli/command.js';
import { git } from '../disk/git-remote.js';

const LONG = 600_000;

const HOST = fileURLToPath(new URL('../support/host.mjs', import.meta.url));

const PLAN = `windlass: 1
name: shared-release
environments:
  local: { state: git }
  live:
    base_url: SERVICE
    credentials: { client_id: { env: WINDLASS_VAR_LIVE_ID }, client_secret: { env: WINDLASS_VAR_LIVE_SECRET } }
    capabilities: [projects, instances, receipts, lists, utils]
    state: { git: { remote: origin, name: shared } }
wallets:
  keeper: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
audit:
  contracts: { decisions: { encrypt_data: false } }
  categories: [board]
  records:
    first: { contract: decisions, signer: keeper, metadata: { n: '1' }, categories: [board] }
    second: { contract: decisions, signer: keeper, metadata: { n: '2' }, categories: [board] }
`;

/** What the plan brings about, each once. */
const EFFECTS = ['audit-contract', 'audit-record', 'audit-record', 'category'];

/** A clone of the plan's repository on a machine of its own. */
interface Runner {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
}

/** Runners that share a remote and a platform, and what really happened there. */
interface Team {
  readonly remote: string;
  readonly runner: () => Promise<Runner>;
  /** A runner whose commands run in the process of the test, on its own host; one for each team. */
  readonly runnerHere: () => Promise<Runner>;
  /** Kinds of all effects, sorted. */
  readonly effects: () => Promise<readonly string[]>;
}

async function inTeam(work: (team: Team) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    git(folder, 'init', '--quiet', '--bare', remote);
    const platform = await startPlatform({
      dataDir: join(folder, 'data'),
      cacheDir: join(folder, 'cache'),
      bcryptCost: 4,
      port: 0,
      truth: { port: 0 },
    });
    const { apiUrl: api_url, rpcUrl: rpc_url, apiKey, truthUrl = '' } = platform;
    const { client_id = '', client_secret = '' } = apiKey ?? {};
    let runners = 0;
    const clone = async (): Promise<string> => {
      runners += 1;
      const made = join(folder, `clone-${runners}`);
      await mkdir(made);
      git(made, 'init', '--quiet');
      git(made, 'remote', 'add', 'origin', remote);
      await writeFile(join(made, 'windlass.yaml'), PLAN.replace('SERVICE', api_url));
      const { id } = (await (await fetch(`${api_url}/health`)).json()) as { readonly id: string };
      await registerPlatform(made, { id, api_url, rpc_url, pid: process.pid, client_id, client_secret });
      return made;
    };
    const secrets = { CI: 'true', WINDLASS_VAR_LIVE_ID: client_id, WINDLASS_VAR_LIVE_SECRET: client_secret };
    const runner = async (): Promise<Runner> => {
      const cwd = await clone();
      const env = { ...secrets, NODE_OPTIONS: `--import=${HOST}`, TEST_HOST: `runner-${runners}` };
      const run: Runner['run'] = (args, more) => windlassProcess(args, { cwd, env: { ...env, ...more } });
      return { folder: cwd, env, run };
    };
    const runnerHere = async (): Promise<Runner> => {
      const cwd = await clone();
      const run: Runner['run'] = (args, more) => windlass(args, { cwd, env: { ...secrets, ...more } });
      return { folder: cwd, env: secrets, run };
    };
    const effects = async (): Promise<readonly string[]> => {
      const answer = await fetch(`${truthUrl}/__truth/effects`);
      const found = ((await answer.json()) as { readonly effects: readonly Effect[] }).effects;
      return found.map(({ kind }) => kind).toSorted();
    };
    try {
      await work({ remote, runner, runnerHere, effects });
    } finally {
      await platform.stop();
    }
  });
}

test(
  'of 20 runners that apply at once, each either waits or is refused, and every effect happens once',
  async () => {
    await inTeam(async ({ runner, effects }) => {
      const runners = await Promise.all(Array.from({ length: 20 }, () => runner()));
      const ended = await Promise.all(
        runners.map(({ run }, n) =>
          run(['apply', '--yes', ...(n % 5 === 0 ? ['--lock-timeout', '9m'] : [])]),
        ),
      );
      for (const { code, stderr } of ended) {
        expect([0, 5]).toContain(code);
        if (code === 5) expect(stderr).toMatch(/RUN_LOCKED.* Run .* process \d+ on runner-\d+/);
      }
      expect(ended.filter((_, n) => n % 5 === 0).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      expect(await effects()).toEqual(EFFECTS);
      const [first, last] = [runners[0], runners[19]];
      expect(await last?.run(['outputs'])).toEqual({ ...(await first?.run(['outputs'])) });
      expect(await last?.run(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 });
    });
  },
  LONG,
);

test.each(['request.sent:2=sigkill', 'request.answered:3=sigkill', 'token.issue=sigkill'])(
  'what a runner killed at %s left is finished by a fresh clone, which every command knows of',
  async (failpoint) => {
    await inTeam(async ({ runner, runnerHere, effects }) => {
      const [lost, fresh] = [await runner(), await runnerHere()];
      expect((await lost.run(['apply', '--yes'], { WINDLASS_FAILPOINT: failpoint })).code).toBeNull();

      const refused = await fresh.run(['apply', '--yes']);
      expect(refused.code).toBe(5);
      expect(refused.stderr).toMatch(/RUN_LOCKED.*runner-1/);
      expect((await fresh.run(['plan'])).code).toBe(0);
      expect((await fresh.run(['status'])).stderr).toContain('on runner-1');
      expect((await fresh.run(['doctor', '--format', 'json'])).stdout).toContain('runner-1');

      expect((await fresh.run(['unlock'])).code).toBe(3);
      expect((await fresh.run(['unlock', '--yes'])).code).toBe(0);
      const resumed = await fresh.run(['apply', '--yes']);
      expect(resumed).toMatchObject({ code: 0 });
      expect(await effects()).toEqual(EFFECTS);
      expect((await fresh.run(['verify'])).code).toBe(0);
      expect((await lost.run(['status'])).code).toBe(0);
      expect((await lost.run(['outputs'])).stdout).toBe((await fresh.run(['outputs'])).stdout);
    });
  },
  LONG,
);

test(
  'a runner that stood still while another took over sends nothing when it goes on',
  async () => {
    await inTeam(async ({ runner, runnerHere, effects }) => {
      const [still, other] = [await runner(), await runnerHere()];
      const paused = spawn(process.execPath, [MAIN, 'apply', '--yes'], {
        cwd: still.folder,
        env: { ...process.env, ...still.env, WINDLASS_FAILPOINT: 'token.issue=sigstop' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      paused.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const ended = new Promise((resolve) => paused.on('close', resolve));
      await expect.poll(() => stateOf(paused.pid), { timeout: 120_000 }).toBe('T');

      expect((await other.run(['unlock', '--yes'])).code).toBe(0);
      expect((await other.run(['apply', '--yes'])).code).toBe(0);
      const before = await effects();
      paused.kill('SIGCONT');
      expect(await ended).toBe(5);
      expect(said).toContain('RUN_FENCED');
      expect(await effects()).toEqual(before);
      expect(before).toEqual(EFFECTS);
    });
  },
  LONG,
);

test.each([
  ['before the remote has it', 'kill -9 $PPID; exit 1'],
  ['after the remote has it', '"$GIT" "$@"; kill -9 $PPID; exit 1'],
])(
  'a runner that dies in the middle of a push, %s, leaves what the next one finishes',
  async (_, script) => {
    await inTeam(async ({ remote, runner, runnerHere, effects }) => {
      const [lost, fresh] = [await runner(), await runnerHere()];
      const env = { PATH: await gitThatDies(lost.folder, script) };
      expect((await lost.run(['apply', '--yes'], env)).code).toBeNull();
      expect(git(remote, 'log', '-1', '--format=%s', 'refs/windlass/local/journal')).not.toMatch(/^Release/);
      expect((await fresh.run(['unlock', '--yes'])).code).toBe(0);
      expect(await fresh.run(['apply', '--yes'])).toMatchObject({ code: 0 });
      expect(await effects()).toEqual(EFFECTS);
    });
  },
  LONG,
);

test(
  'an environment with its state in Git is applied from CI without a word about the journal, and resumed by any job',
  async () => {
    await inTeam(async ({ remote, runner, runnerHere, effects }) => {
      const [one, two] = [await runner(), await runnerHere()];
      const job = {
        GITHUB_SERVER_URL: 'https://ci.example.com',
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_RUN_ID: '7',
      };
      const apply = ['apply', '--env', 'live', '--yes'];
      const killed = { ...job, WINDLASS_FAILPOINT: 'request.answered:2=sigkill' };
      expect((await one.run(apply, killed)).code).toBeNull();
      expect((await two.run(apply)).stderr).toContain('https://ci.example.com/a/b/actions/runs/7');
      expect((await two.run(['unlock', '--env', 'live', '--yes'])).code).toBe(0);
      expect(await two.run(apply)).toMatchObject({ code: 0 });
      expect(await effects()).toEqual(EFFECTS);
      expect(git(remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/windlass/live@shared/journal');
    });
  },
  LONG,
);

test(
  'the remote holds no secret: neither tokens nor keys',
  async () => {
    await inTeam(async ({ remote, runnerHere }) => {
      const one = await runnerHere();
      expect((await one.run(['apply', '--yes'])).code).toBe(0);
      const objects = git(remote, 'rev-list', '--objects', '--no-object-names', '--all').split('\n');
      const everything = objects.map((id) => git(remote, 'cat-file', '-p', id)).join('\n');
      const tokens = await readFile(join(one.folder, '.windlass/env/local/tokens'), 'utf8');
      const registration = JSON.parse(
        await readFile(join(one.folder, '.windlass/platform.json'), 'utf8'),
      ) as {
        readonly client_secret: string;
      };
      expect(tokens.split('\n').length).toBeGreaterThan(10);
      for (const secret of [...tokens.trim().split('\n'), registration.client_secret]) {
        expect(everything).not.toContain(secret);
      }
      expect(everything).toContain('audit-record.first');
    });
  },
  LONG,
);

test(
  'what a person or a run settles is told when the remote has it, and not before',
  async () => {
    await inTeam(async ({ remote, runner }) => {
      const one = await runner();
      const refuseReleases =
        'while read -r _ new _; do git log -1 --format=%s "$new" | grep -q "^Release" && exit 1; done; exit 0';
      const hook = join(remote, 'hooks', 'pre-receive');
      await writeFile(hook, `#!/bin/sh\n${refuseReleases}\n`);
      await chmod(hook, 0o755);
      const { WINDLASS_VAR_LIVE_ID: client_id = '', WINDLASS_VAR_LIVE_SECRET: client_secret = '' } = one.env;
      const registration = await readFile(join(one.folder, '.windlass/platform.json'), 'utf8');
      const { api_url } = JSON.parse(registration) as { readonly api_url: string };
      const made = await fetch(`${api_url}/api/audit/category`, {
        method: 'POST',
        headers: { client_id, client_secret, 'content-type': 'application/json' },
        body: '{"name":"board"}',
      });
      expect(made.status).toBe(200);
      const commands = [
        ['apply', '--yes', '--target', 'audit-contract.decisions'],
        ['adopt', 'category.board', 'id=1', '--format', 'json'],
      ];
      for (const command of commands) {
        const ended = await one.run(command);
        expect(ended.stderr).toContain('STATE_REMOTE');
        expect(ended.code).toBe(7);
        // No result: under --format json the error alone.
        expect(ended.stdout).toMatch(/^(\{\s+"error": [^]*)?$/);
      }
    });
  },
  LONG,
);

/** Letter for the state of a process; `T`: stopped. */
async function stateOf(pid: number | undefined): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid ?? 0}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}

/** A PATH on which the fourth `git push` runs a script. */
async function gitThatDies(folder: string, script: string): Promise<string> {
  const bin = join(folder, '.bin');
  await mkdir(bin);
  const wrapper = `#!/bin/sh
GIT="$(PATH="\${PATH#*${delimiter}}" command -v git)"
if [ "$1" = push ]; then
  echo x >> '${join(bin, 'count')}'
  if [ $(wc -l < '${join(bin, 'count')}') -eq 4 ]; then ${script}; fi
fi
exec "$GIT" "$@"
`;
  await writeFile(join(bin, 'git'), wrapper);
  await chmod(join(bin, 'git'), 0o755);
  return `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
}
