import { spawn } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startPlatformHere } from '../support/platform-here.js';
import { inFolder, MAIN, windlass, windlassProcess } from './command.js';

const LONG = 120_000;

async function inPlan<T>(template: string, work: (folder: string) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    expect((await windlass(['init', '--template', template], { cwd: folder })).code).toBe(0);
    return work(folder);
  });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Starts an apply and sends it a signal as soon as an event of the given type comes. */
function interrupted(cwd: string, type: string, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, 'apply', '--yes', '--json'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (!seen.includes(`"type":"${type}"`) && (seen += chunk).includes(`"type":"${type}"`))
        child.kill(signal);
    });
    child.on('close', (code) => resolve(code));
  });
}

describe('a release from the command line', () => {
  it(
    'is planned, confirmed, applied, verified and read, and then has nothing left to do',
    async () => {
      await inPlan('minimal', async (cwd) => {
        const planned = await windlass(['plan', '--detailed-exitcode'], { cwd });
        expect(planned.code).toBe(2);
        expect(planned.stdout).toContain('^ contract.main.NoticeBoard');
        expect(await windlass(['plan'], { cwd })).toMatchObject({ code: 0, stdout: planned.stdout });

        const unconfirmed = await windlass(['apply'], { cwd });
        expect(unconfirmed).toMatchObject({ code: 3, stdout: '' });
        expect(unconfirmed.stderr).toContain('CLI_CONFIRMATION_MISSING');
        expect(await exists(join(cwd, 'windlass.local.lock.json'))).toBe(false);

        const applied = await windlassProcess(['apply', '--yes'], { cwd });
        expect(applied.code).toBe(0);
        const address = /contract\.main\.NoticeBoard\s+(0x[0-9a-fA-F]{40})/.exec(applied.stdout)?.[1];
        expect(address).toBeDefined();

        const again = await windlass(['apply'], { cwd });
        expect(again.code).toBe(0);
        expect(again.stderr).toContain('Nothing to do');
        expect((await windlass(['plan', '--detailed-exitcode'], { cwd })).code).toBe(0);
        expect(await windlass(['plan', '--offline', '--detailed-exitcode'], { cwd })).toMatchObject({
          code: 0,
        });

        const env = await windlassProcess(['outputs', '--format', 'env'], { cwd });
        expect(env.stdout).toBe(`NOTICE_BOARD_ADDRESS='${address}'\n`);
        const status = await windlass(['status', '--format', 'json'], { cwd });
        expect(JSON.parse(status.stdout)).toMatchObject({
          lastRun: { result: 'done' },
          steps: [],
          confirmed: 3,
        });
        const verified = await windlass(['verify', '--format', 'json'], { cwd });
        expect(verified.code).toBe(0);
        expect(JSON.parse(verified.stdout)).toMatchObject({ mismatches: [] });
        const shown = await windlass(['show', 'windlass.local.lock.json'], { cwd });
        expect(shown.stdout).toContain(address);
      });
    },
    LONG,
  );

  it(
    'can be saved, and is then applied exactly, at most once',
    async () => {
      await inPlan('minimal', async (cwd) => {
        expect((await windlass(['plan', '--out', 'release.json'], { cwd })).stdout).toContain(
          'Next: windlass apply release.json',
        );
        expect((await windlass(['show', 'release.json'], { cwd })).stdout).toContain(
          'contract.main.NoticeBoard',
        );
        const saved = await readFile(join(cwd, 'release.json'), 'utf8');
        await writeFile(join(cwd, 'edited.json'), saved.replace('NoticeBoard', 'OtherBoard'));
        const tampered = await windlass(['apply', 'edited.json', '--yes'], { cwd });
        expect(tampered.code).toBe(5);
        expect(tampered.stderr).toContain('CHANGESET_TAMPERED');

        const plan = await readFile(join(cwd, 'windlass.yaml'), 'utf8');
        await writeFile(join(cwd, 'windlass.yaml'), plan.replace('Hello from', 'Hello to'));
        const stale = await windlass(['apply', 'release.json', '--yes'], { cwd });
        expect(stale.code).toBe(5);
        expect(stale.stderr).toContain('CHANGESET_STALE');
        await writeFile(join(cwd, 'windlass.yaml'), plan);

        expect((await windlass(['apply', 'release.json', '--yes'], { cwd })).code).toBe(0);
        const twice = await windlass(['apply', 'release.json', '--yes'], { cwd });
        expect(twice.code).toBe(5);
        expect(twice.stderr).toContain('CHANGESET_APPLIED');
      });
    },
    LONG,
  );

  it(
    'streams events as JSON Lines with nothing else on stdout',
    async () => {
      await inPlan('minimal', async (cwd) => {
        const ended = await windlass(['apply', '--yes', '--json', '--json-into', 'events.jsonl'], { cwd });
        expect(ended.code).toBe(0);
        const events = ended.stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as { readonly type: string });
        expect(events[0]).toMatchObject({ type: 'version', events: '1.0' });
        expect(events.map(({ type }) => type)).toEqual(
          expect.arrayContaining(['change-set', 'run-started', 'step-intended', 'step-settled', 'run-ended']),
        );
        expect(events.at(-1)).toMatchObject({ type: 'result', exit: 0 });
        expect(await readFile(join(cwd, 'events.jsonl'), 'utf8')).toBe(ended.stdout);
      });
    },
    LONG,
  );

  it(
    'stops with 130 at a signal, and goes on where it stopped',
    async () => {
      await inPlan('minimal', async (cwd) => {
        expect(await interrupted(cwd, 'step-intended', 'SIGTERM')).toBe(130);
        const resumed = await windlass(['apply', '--yes'], { cwd });
        expect(resumed.code).toBe(0);
        expect(resumed.stdout).toContain('contract.main.NoticeBoard');
      });
    },
    LONG,
  );

  it(
    'ends at once with 130 when a command that only reads is interrupted',
    async () => {
      await inPlan('minimal', async (cwd) => {
        const code = await new Promise((resolve) => {
          const child = spawn(process.execPath, [MAIN, 'plan'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
          child.stderr.once('data', () => child.kill('SIGINT'));
          child.on('close', resolve);
        });
        expect(code).toBe(130);
        expect((await windlass(['plan'], { cwd })).code).toBe(0);
      });
    },
    LONG,
  );

  it(
    'survives being killed in the middle of a step',
    async () => {
      await inPlan('minimal', async (cwd) => {
        expect(await interrupted(cwd, 'step-answered', 'SIGKILL')).toBeNull();
        const resumed = await windlass(['apply', '--yes'], { cwd });
        expect(resumed.code).toBe(0);
        expect((await windlass(['verify'], { cwd })).code).toBe(0);
      });
    },
    LONG,
  );
});

describe('an environment that is not local', () => {
  it(
    'needs credentials, its name where it is protected, and a journal that lasts',
    async () => {
      await inPlan('minimal', async (cwd) => {
        const platform = await startPlatformHere(cwd);
        try {
          const { apiUrl: api_url } = platform;
          const registered = JSON.parse(await readFile(join(cwd, '.windlass/platform.json'), 'utf8')) as {
            readonly client_id: string;
            readonly client_secret: string;
          };
          const plan = await readFile(join(cwd, 'windlass.yaml'), 'utf8');
          const environments = {
            live: {
              base_url: api_url,
              protected: true,
              credentials: {
                client_id: { env: 'WINDLASS_VAR_LIVE_ID' },
                client_secret: { env: 'WINDLASS_VAR_LIVE_SECRET' },
              },
              callbacks: 'off',
              capabilities: ['projects', 'instances', 'receipts', 'lists', 'utils'],
            },
          };
          await writeFile(
            join(cwd, 'windlass.yaml'),
            `${plan}\nenvironments: ${JSON.stringify(environments)}\n`,
          );
          const live = ['--env', 'live'];
          const right = {
            WINDLASS_VAR_LIVE_ID: registered.client_id,
            WINDLASS_VAR_LIVE_SECRET: registered.client_secret,
          };

          const missing = await windlass(['plan', ...live], { cwd });
          expect(missing.code).toBe(4);
          expect(missing.stderr).toContain('SECRET_MISSING');
          const wrong = await windlass(['plan', ...live], {
            cwd,
            env: { ...right, WINDLASS_VAR_LIVE_SECRET: 'canary-4711' },
          });
          expect(wrong.code).toBe(4);
          expect(wrong.stderr).toContain('REMOTE_AUTHENTICATION');
          expect(wrong.stderr + wrong.stdout).not.toContain('canary-4711');

          const apply = ['apply', ...live];
          const yes = await windlass([...apply, '--yes'], { cwd, env: right });
          expect(yes.code).toBe(3);
          expect(yes.stderr).toContain('CLI_CONFIRMATION_MISSING');
          expect((await windlass([...apply, '--confirm', 'test'], { cwd, env: right })).code).toBe(3);
          const ci = await windlass([...apply, '--confirm', 'live'], { cwd, env: { ...right, CI: 'true' } });
          expect(ci.code).toBe(3);
          expect(ci.stderr).toContain('JOURNAL_EPHEMERAL');
          const done = await windlass([...apply, '--confirm', 'live', '--ephemeral-journal'], {
            cwd,
            env: { ...right, CI: 'true' },
          });
          expect(done.code).toBe(0);
          expect(await exists(join(cwd, 'windlass.live.lock.json'))).toBe(true);
        } finally {
          await platform.stop();
        }
      });
    },
    LONG,
  );
});
