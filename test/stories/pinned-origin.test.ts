import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { windlass, type Ended } from '../cli/command.js';
import type { Credentials } from '../platform/client.js';
import { STORY, tellStory } from '../support/story.js';

const planFor = (environments: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    windlass: 1,
    name: 'pinned',
    environments: Object.fromEntries(
      Object.entries(environments).map(([name, base_url]) => [
        name,
        {
          base_url,
          credentials: {
            client_id: { env: 'WINDLASS_VAR_ID' },
            client_secret: { env: 'WINDLASS_VAR_SECRET' },
          },
          capabilities: ['projects', 'instances', 'receipts', 'lists', 'utils'],
        },
      ]),
    ),
    audit: { tags: ['v1'] },
  });

/** A server that answers as if nothing existed, and keeps what it is sent. */
async function withListener(
  tell: (url: string, seen: readonly IncomingHttpHeaders[]) => Promise<void>,
): Promise<void> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":404,"result":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await tell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it(
  'sends no credentials to another origin than the lock names, in no command, whichever way a plan is turned there',
  async () => {
    await tellStory({}, {}, async (story) => {
      const { folder, apiUrl } = story;
      const key = JSON.parse(await readFile(join(folder, '.windlass/platform.json'), 'utf8')) as Credentials;
      const env = { WINDLASS_VAR_ID: key.client_id, WINDLASS_VAR_SECRET: key.client_secret };
      const run = (...args: readonly string[]): Promise<Ended> => windlass(args, { cwd: folder, env });
      await story.write({ 'windlass.yaml': planFor({ test: apiUrl }) });
      expect(await run('plan', '--env', 'test', '--out', 'saved.json')).toMatchObject({ code: 0 });
      expect(await run('apply', '--env', 'test', '--yes')).toMatchObject({ code: 0 });

      await withListener(async (url, seen) => {
        await story.write({ 'windlass.yaml': planFor({ test: url }) });
        for (const command of [
          ['plan'],
          ['apply', '--yes'],
          ['verify'],
          ['adopt', 'tag.v1', 'id=1'],
          ['resolve', 'tag.v1#1', '--absent', '--statement', 'x'],
        ]) {
          const ended = await run(...command, '--env', 'test');
          expect(ended.code, command[0]).toBe(5);
          expect(ended.stderr).toContain('LOCK_OTHER_TARGET');
          expect(ended.stderr).toContain(new URL(apiUrl).origin);
          expect(ended.stderr).toContain(new URL(url).origin);
        }
        // A clone has the lockfile alone.
        await rm(join(folder, '.windlass/env/test'), { recursive: true });
        expect(await run('plan', '--env', 'test')).toMatchObject({ code: 5 });
        // The environment gets a new name, which has no lock.
        await story.write({ 'windlass.yaml': planFor({ fresh: url }) });
        const renamed = await run('apply', '--env', 'fresh', '--yes');
        expect(renamed.stderr).toContain('TARGET_OTHER_ENVIRONMENT');
        expect(renamed.code).toBe(5);
        // The operator may list the only origins that are meant.
        const listed = { ...env, WINDLASS_ALLOW_ORIGIN: 'https://service.example.com' };
        await story.write({ 'windlass.yaml': planFor({ test: 'https://evil.example.com' }) });
        const ended = await windlass(['plan', '--env', 'test'], { cwd: folder, env: listed });
        expect(ended.stderr).toContain('PLAN_URL_FORBIDDEN');
        expect(ended.code).toBe(3);
        expect(seen).toEqual([]);
      });

      await story.write({ 'windlass.yaml': planFor({ test: apiUrl }) });
      expect(await run('plan', '--env', 'test')).toMatchObject({ code: 0 });
    });
  },
  2 * STORY,
);
