import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { windlass, windlassProcess } from './command.js';
import { besidePlatform, freePort, startListening } from './detached.js';

const LONG = 180_000;

/** A plan for an environment where nothing but a callback can prove that the audit contract was made. */
async function writePlan(
  cwd: string,
  apiUrl: string,
  port: number,
): Promise<Readonly<Record<string, string>>> {
  const { client_id, client_secret } = JSON.parse(
    await readFile(join(cwd, '.windlass/platform.json'), 'utf8'),
  ) as Readonly<Record<string, string>>;
  const environments = {
    test: {
      base_url: apiUrl,
      credentials: {
        client_id: { env: 'WINDLASS_VAR_TEST_ID' },
        client_secret: { env: 'WINDLASS_VAR_TEST_SECRET' },
      },
      callbacks: { url: `http://127.0.0.1:${port}`, listen: `127.0.0.1:${port}` },
    },
  };
  const plan = { windlass: 1, name: 'callbacks-only', environments, audit: { contracts: { releases: {} } } };
  await writeFile(join(cwd, 'windlass.yaml'), JSON.stringify(plan));
  return { WINDLASS_VAR_TEST_ID: client_id ?? '', WINDLASS_VAR_TEST_SECRET: client_secret ?? '' };
}

const APPLY = ['apply', '--env', 'test', '--yes'] as const;

describe('a listener', () => {
  it(
    'keeps the callback of a run that was killed, and the next run settles the step by nothing else',
    async () => {
      await besidePlatform('minimal', async (cwd, apiUrl) => {
        const env = await writePlan(cwd, apiUrl, await freePort());
        const killed = await windlassProcess(APPLY, {
          cwd,
          env: { ...env, WINDLASS_FAILPOINT: 'request.answered=sigkill' },
        });
        expect(killed.code).toBeNull();
        const listener = await startListening(cwd, ['--env', 'test']);
        expect((await windlass(['listen', '--env', 'test'], { cwd })).stderr).toContain('LISTENER_RUNNING');
        // The platform redelivers until it is answered 200.
        await expect.poll(() => undelivered(cwd), { timeout: 60_000, interval: 500 }).toBe(0);
        expect(await listener.stop()).toBe(0);

        const settled = await windlass(APPLY, { cwd, env });
        expect(settled.stderr).toContain('Done.');
        expect(settled).toMatchObject({ code: 0 });
        expect(settled.stdout).toMatch(/audit-contract\.releases\s+0x/);
        const status = await windlass(['status', '--env', 'test', '--format', 'json'], { cwd });
        expect(JSON.parse(status.stdout)).toMatchObject({ evidence: { C: 1 }, doubts: [] });
      });
    },
    LONG,
  );

  it(
    'keeps the port while a run goes on, which takes what it keeps',
    async () => {
      await besidePlatform('minimal', async (cwd, apiUrl) => {
        const env = await writePlan(cwd, apiUrl, await freePort());
        const listener = await startListening(cwd, ['--env', 'test']);
        const applied = await windlass(APPLY, { cwd, env });
        expect(applied.stderr).toContain('Done.');
        expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
        expect(await listener.stop()).toBe(0);
      });
    },
    LONG,
  );

  it(
    'has nothing to do where callbacks are off',
    async () => {
      await besidePlatform('minimal', async (cwd, apiUrl) => {
        await writePlan(cwd, apiUrl, 1);
        const plan = await readFile(join(cwd, 'windlass.yaml'), 'utf8');
        await writeFile(
          join(cwd, 'windlass.yaml'),
          plan.replace(/"callbacks":\{[^}]*\}/, '"callbacks":"off"'),
        );
        const refused = await windlass(['listen', '--env', 'test'], { cwd });
        expect(refused).toMatchObject({ code: 3 });
        expect(refused.stderr).toContain('CALLBACKS_OFF');
      });
    },
    LONG,
  );
});

/** Callbacks that the platform still wants to deliver, or has not made yet. */
async function undelivered(cwd: string): Promise<number> {
  const listed = await windlass(['platform', 'callbacks', '--format', 'json'], { cwd });
  const rows = JSON.parse(listed.stdout) as
    | readonly { readonly state?: string }[]
    | Readonly<Record<string, never>>;
  const callbacks = Array.isArray(rows) ? rows : Object.values(rows).flat();
  const waiting = callbacks.filter((row) => (row as { readonly state?: string }).state !== 'delivered');
  return callbacks.length === 0 ? 1 : waiting.length;
}
