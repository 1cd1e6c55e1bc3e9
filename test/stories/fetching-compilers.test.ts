import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { freePort } from '../cli/detached.js';
import { inFolder, MAIN, windlass, windlassProcess, type Ended } from '../cli/command.js';
import { watchedEnvironment } from '../support/conformance.js';
import { STORY } from '../support/story.js';

/** A registry that begins each answer and never ends it. */
async function slowRegistry<T>(work: (url: string, asked: Promise<void>) => Promise<T>): Promise<T> {
  let heard = (): void => undefined;
  const asked = new Promise<void>((resolve) => (heard = resolve));
  const timers: NodeJS.Timeout[] = [];
  const trickle = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    timers.push(setInterval(() => response.write(' '), 500));
    heard();
  };
  const server = createServer((_, response) => trickle(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    for (const timer of timers) clearInterval(timer);
    server.closeAllConnections();
    server.close();
  }
}

async function planned(cwd: string): Promise<void> {
  await windlass(['init'], { cwd });
  const plan = join(cwd, 'windlass.yaml');
  const text = await readFile(plan, 'utf8');
  await writeFile(plan, text.replace(/solidity: v?[0-9.]+/, 'solidity: v0.8.28'));
}

/** Applies in a process of its own, and interrupts it twice over: the whole group, as a terminal does. */
function interrupted(cwd: string, env: NodeJS.ProcessEnv, when: Promise<void>): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'apply', '--yes'], {
    cwd,
    env: { ...process.env, ...watchedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  void when.then(() => process.kill(-(child.pid ?? 0), 'SIGINT'));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...ended })));
}

describe('while a compiler is fetched', () => {
  test(
    'Ctrl-C interrupts: nothing is failed, and the next apply goes on with the same version',
    async () => {
      await inFolder(async (cwd) => {
        await planned(cwd);
        await slowRegistry(async (url, asked) => {
          const env = { WINDLASS_REGISTRY: url, WINDLASS_CACHE_DIR: join(cwd, 'empty') };
          const { code, stderr } = await interrupted(cwd, env, asked);
          expect(code).toBe(130);
          expect(stderr).toContain('Interrupted: run apply again');
          expect(stderr).not.toMatch(/^(failed|error)|npm|no reason/m);
        });
        const status = await windlass(['status', '--format', 'json'], { cwd });
        const { lastRun, steps } = JSON.parse(status.stdout) as {
          lastRun: { result: string };
          steps: { step: string; state: string }[];
        };
        expect(lastRun.result).toBe('interrupted');
        expect(steps.map(({ step, state }) => [step, state])).toEqual([['version.board@1.0.0#1', 'open']]);

        const resumed = await windlass(['apply', '--yes'], { cwd });
        expect(resumed.code).toBe(0);
        // The attempt that was interrupted is the one that succeeds.
        expect(resumed.stderr).toContain('done version.board@1.0.0#1');
      });
    },
    STORY,
  );

  test(
    'a registry that does not answer is told with a code, the reason and what to do, and nothing hangs',
    async () => {
      await inFolder(async (cwd) => {
        await planned(cwd);
        const env = {
          WINDLASS_REGISTRY: `http://127.0.0.1:${await freePort()}`,
          WINDLASS_CACHE_DIR: join(cwd, 'empty'),
        };
        const failed = await windlassProcess(['apply', '--yes'], { cwd, env });
        expect(failed.code).toBe(7);
        expect(failed.stderr).toMatch(/cannot fetch solc@0\.8\.28: nothing listens at the registry/);
        expect(failed.stderr).toMatch(/error REGISTRY_FETCH: [^\n]*\n {2}fix: [^\n]*WINDLASS_REGISTRY/);
        expect(failed.stderr).not.toMatch(/ECONN|syscall/);

        const plan = join(cwd, 'windlass.yaml');
        const text = await readFile(plan, 'utf8');
        await writeFile(plan, text.replace(/( +)sources:.*/, `$&\n$1packages: ['@openzeppelin/contracts']`));
        const refused = await windlassProcess(['plan', '--format', 'json'], { cwd, env });
        const { error } = JSON.parse(refused.stdout) as { error: Record<string, string> };
        expect([refused.code, error['code']]).toEqual([7, 'REGISTRY_FETCH']);
        expect(error['message']).toContain(`The registry is ${env.WINDLASS_REGISTRY}`);
        expect(error['advice']).toContain('WINDLASS_REGISTRY');
      });
    },
    STORY,
  );
});
