import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inFolder, windlass } from './command.js';
import { freePort } from './detached.js';

interface Findings {
  readonly findings: readonly { readonly check: string; readonly state: string; readonly message: string }[];
}

/** A service that answers every request with one time. */
async function service<T>(date: Date, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_request, response) => {
    response.writeHead(404, { date: date.toUTCString(), 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function diagnose(cwd: string, baseUrl: string, callbacks: unknown): Promise<Record<string, string>> {
  const credentials = {
    client_id: { env: 'WINDLASS_VAR_DOCTOR_ID' },
    client_secret: { env: 'WINDLASS_VAR_DOCTOR_SECRET' },
  };
  const environments = { test: { base_url: baseUrl, credentials, callbacks } };
  const plan = { windlass: 1, name: 'doctor', environments, audit: { tags: ['v1'] } };
  await writeFile(join(cwd, 'windlass.yaml'), JSON.stringify(plan));
  const env = { WINDLASS_VAR_DOCTOR_ID: 'a', WINDLASS_VAR_DOCTOR_SECRET: 'b' };
  const ended = await windlass(['doctor', '--env', 'test', '--format', 'json'], { cwd, env });
  const { findings } = JSON.parse(ended.stdout) as Findings;
  return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
}

it('tells whether clocks agree and callbacks arrive, and what became of the journal and the run lock', async () => {
  await inFolder(async (cwd) => {
    const port = await freePort();
    const reachable = { url: `http://127.0.0.1:${port}`, listen: `127.0.0.1:${port}` };
    await service(new Date(), async (url) => {
      expect(await diagnose(cwd, url, reachable)).toMatchObject({
        clock: 'ok',
        callbacks: 'ok',
        credentials: 'ok',
        journal: 'ok',
        'run lock': 'ok',
      });
    });
    const folder = join(cwd, '.windlass/env/test');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'journal.jsonl'), 'not a journal\n', { mode: 0o600 });
    const holder = { run: 'r', since: '', pid: 1, host: 'elsewhere', boot: 'x', started: 'y' };
    await writeFile(join(folder, 'run.lock'), JSON.stringify(holder), { mode: 0o600 });
    await service(new Date(Date.now() - 3_600_000), async (url) => {
      expect(await diagnose(cwd, url, reachable)).toMatchObject({
        clock: 'wrong',
        callbacks: 'unknown',
        journal: 'wrong',
        'run lock': 'wrong',
      });
    });
  });
}, 120_000);
