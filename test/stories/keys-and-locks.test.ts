import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { windlass, type Ended } from '../cli/command.js';
import type { Credentials } from '../platform/client.js';
import { STORY, tellStory, type Story } from '../support/story.js';

const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { event Said(); string public text; constructor(string memory text_) { text = text_; emit Said(); } }
`;

const ALL = '[projects, instances, receipts, lists, utils]';

interface Environments {
  readonly [name: string]: { readonly url: string; readonly capabilities?: string; readonly more?: string };
}

function planOf(environments: Environments, what = ''): string {
  const listed = Object.entries(environments).map(
    ([name, { url, capabilities = ALL, more = '' }]) => `  ${name}:
    base_url: ${url}
    credentials: { client_id: { env: WINDLASS_VAR_${name.toUpperCase()}_ID }, client_secret: { env: WINDLASS_VAR_${name.toUpperCase()}_SECRET } }
    callbacks: off
    capabilities: ${capabilities}
${more}`,
  );
  return `windlass: 1
name: keys
environments:
${listed.join('')}wallets: { office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' } }
projects: { notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [Note.sol] } } } }
${what === '' ? DEPLOYMENT : what}`;
}

const DEPLOYMENT = `deployments:
  core: { version: notes@1.0.0, wallet: { type: organisation, use: office }, contracts: { Note: { params: { text_: hello } } } }
audit: { contracts: { log: {} }, tags: [v1] }
`;

/** What needs no wallet of an organisation. */
const AUDIT = 'audit: { contracts: { log: {} }, tags: [v1] }\n';

/** A new key of the platform, of its first organisation or of another one. */
async function keyOf({ run }: Story, name: string, ...more: readonly string[]): Promise<Credentials> {
  const made = await run('platform', 'key', 'create', name, ...more, '--format', 'json');
  expect(made).toMatchObject({ code: 0 });
  return JSON.parse(made.stdout) as Credentials;
}

type As = (keys: Readonly<Record<string, Credentials>>, ...args: readonly string[]) => Promise<Ended>;

/** Runs commands in the story's folder, with a key for each environment. */
function runnerIn({ folder }: Story): As {
  return (keys, ...args) => {
    const env = Object.entries(keys).flatMap(([name, { client_id, client_secret }]) => [
      [`WINDLASS_VAR_${name.toUpperCase()}_ID`, client_id],
      [`WINDLASS_VAR_${name.toUpperCase()}_SECRET`, client_secret],
    ]);
    return windlass(args, { cwd: folder, env: Object.fromEntries(env) as Record<string, string> });
  };
}

function expectRefused(ended: Ended, code: string): void {
  expect(ended.stderr).toContain(code);
  expect(ended.code).toBe(5);
}

const journal = ({ folder }: Story, environment = 'test'): Promise<string> =>
  readFile(join(folder, '.windlass', 'env', environment, 'journal.jsonl'), 'utf8');

const ENV = ['--env', 'test'] as const;

/** The platform as a service that tells no key whose it is. */
async function silently(apiUrl: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { host: _host, connection: _connection, ...headers } = incoming.headers;
      if (incoming.url === '/api/key') {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
        return;
      }
      const answer = await request(`${apiUrl}${incoming.url ?? ''}`, {
        method: incoming.method as 'GET',
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const { connection: _kept, 'transfer-encoding': _coding, ...told } = answer.headers;
      response.writeHead(answer.statusCode, told).end(Buffer.from(await answer.body.arrayBuffer()));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a new key of the same organisation', () => {
  it(
    'goes on where the old one was, is recorded once, and by no command that only reads',
    async () => {
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        const as = runnerIn(story);
        await story.write({ 'windlass.yaml': planOf({ test: { url: story.apiUrl } }) });
        const [old, fresh, reader] = [
          await keyOf(story, 'old'),
          await keyOf(story, 'fresh'),
          await keyOf(story, 'reader', '--scope', 'read'),
        ];
        expect(await as({ test: old }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
        const begun = await journal(story);
        expect(begun).toContain('"organisation":"');
        for (const command of ['plan', 'verify', 'status'])
          expect(await as({ test: reader }, command, ...ENV)).toMatchObject({ code: 0 });
        expect(await journal(story)).toBe(begun);

        for (let run = 0; run < 2; run += 1) {
          expect(await as({ test: fresh }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
          expect(await as({ test: old }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
        }
        const accepted = (await journal(story)).split('\n').filter((line) => line.includes('key-accepted'));
        expect(accepted).toHaveLength(1);
        expect(accepted[0]).toContain('"by":"organisation"');
        const lock = await readFile(join(story.folder, 'windlass.test.lock.json'), 'utf8');
        expect((JSON.parse(lock) as { target: { keys: unknown } }).target.keys).toHaveLength(1);

        // What one key planned, the other one applies.
        await story.write({
          'windlass.yaml': planOf({ test: { url: story.apiUrl } }).replace('[v1]', '[v1, v2]'),
        });
        expect(await as({ test: reader }, 'plan', ...ENV, '--out', 'release.json')).toMatchObject({
          code: 0,
        });
        expect(await as({ test: fresh }, 'apply', 'release.json', '--yes')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );

  it(
    'applies the first release that another one planned, when the service says whose both are',
    async () => {
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        const as = runnerIn(story);
        await story.write({ 'windlass.yaml': planOf({ test: { url: story.apiUrl } }) });
        const [reader, writer] = [await keyOf(story, 'r', '--scope', 'read'), await keyOf(story, 'w')];
        expect(await as({ test: reader }, 'plan', ...ENV, '--out', 'first.json')).toMatchObject({ code: 0 });
        const stranger = await keyOf(story, 'x', '--organisation', 'elsewhere');
        expectRefused(await as({ test: stranger }, 'apply', 'first.json', '--yes'), 'CHANGESET_OTHER_TARGET');
        expect(await as({ test: writer }, 'apply', 'first.json', '--yes')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );

  it(
    'is proven by reads where the service does not say whose it is; one of another organisation is refused',
    async () => {
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        await silently(story.apiUrl, async (url) => {
          const as = runnerIn(story);
          await story.write({ 'windlass.yaml': planOf({ test: { url } }) });
          const [old, fresh] = [await keyOf(story, 'old'), await keyOf(story, 'fresh')];
          const stranger = await keyOf(story, 'x', '--organisation', 'elsewhere');
          expect(await as({ test: old }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
          // The other organisation has a project, a version and a tag of the same names.
          await story.write({ 'other.yaml': planOf({ test: { url } }, AUDIT) });
          expect(await as({ test: stranger }, 'apply', 'other.yaml', ...ENV, '--yes')).toMatchObject({
            code: 0,
          });

          const before = await journal(story);
          for (const command of [['plan'], ['verify'], ['apply', '--yes']]) {
            const refused = await as({ test: stranger }, ...command, ...ENV);
            expectRefused(refused, 'LOCK_OTHER_TARGET');
            expect(refused.stderr).toContain('contract.core.Note');
          }
          // No flag speaks for a key that is shown nothing of the lock.
          expect(await as({ test: stranger }, 'plan', ...ENV, '--accept-key', '0'.repeat(12))).toMatchObject({
            code: 5,
          });
          expect(await as({ test: fresh }, 'plan', ...ENV)).toMatchObject({ code: 0 });
          expect(await journal(story)).toBe(before);
          expect(await as({ test: fresh }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
          expect(await as({ test: fresh }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
          const lines = (await journal(story)).split('\n').filter((line) => line.includes('key-accepted'));
          expect(lines).toHaveLength(1);
          expect(lines[0]).toMatch(/"by":"reads".*instance\.detail/);
        });
      });
    },
    STORY,
  );

  it(
    'is a matter of a person where nothing of the lock can be read, and is asked about once',
    async () => {
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        await silently(story.apiUrl, async (url) => {
          const as = runnerIn(story);
          // The interface alone reads none of what only one organisation has.
          const what = 'audit: { tags: [v1] }\n';
          await story.write({ 'windlass.yaml': planOf({ test: { url, capabilities: '[]' } }, what) });
          const [old, fresh] = [await keyOf(story, 'old'), await keyOf(story, 'fresh')];
          expect((await story.get('/api/contract/projects')) as readonly unknown[]).toEqual([]);
          await fetchProject(story, 'notes');
          expect(await as({ test: old }, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
          const refused = await as({ test: fresh }, 'apply', ...ENV, '--yes');
          expectRefused(refused, 'LOCK_KEY_UNPROVEN');
          const [, fingerprint = ''] = /--accept-key ([0-9a-f]{12})/.exec(refused.stderr) ?? [];
          expect(fingerprint).not.toBe('');
          expectRefused(
            await as({ test: fresh }, 'plan', ...ENV, '--accept-key', 'ffffffffffff'),
            'LOCK_KEY_UNPROVEN',
          );
          const accept = ['--accept-key', fingerprint] as const;
          expect(await as({ test: fresh }, 'plan', ...ENV, ...accept)).toMatchObject({ code: 0 });
          expectRefused(await as({ test: fresh }, 'plan', ...ENV), 'LOCK_KEY_UNPROVEN');
          expect(await as({ test: fresh }, 'apply', ...ENV, '--yes', ...accept)).toMatchObject({ code: 0 });
          expect(await as({ test: fresh }, 'plan', ...ENV)).toMatchObject({ code: 0 });
          expect(await as({ test: fresh }, 'verify', ...ENV)).toMatchObject({ code: 0 });
        });
      });
    },
    STORY,
  );
});

async function fetchProject({ apiUrl, folder }: Story, name: string): Promise<void> {
  const text = await readFile(join(folder, '.windlass/platform.json'), 'utf8');
  const { client_id = '', client_secret = '' } = JSON.parse(text) as Record<string, string>;
  const answer = await fetch(`${apiUrl}/api/contract/projects`, {
    method: 'POST',
    headers: { client_id, client_secret, 'content-type': 'application/json' },
    body: JSON.stringify({ project_name: name }),
  });
  expect(answer.ok).toBe(true);
}

describe('credentials of another environment', () => {
  it(
    'begin nothing: by the organisation, by the key, or by what they read; on purpose they may',
    async () => {
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        await silently(story.apiUrl, async (url) => {
          for (const base of [story.apiUrl, url]) {
            const as = runnerIn(story);
            const name = base === url ? 'silent' : 'telling';
            await writeFile(
              join(story.folder, `${name}.yaml`),
              planOf({ production: { url: base }, test: { url: base } }, AUDIT),
            );
            const [live, same] = [await keyOf(story, `${name} live`), await keyOf(story, `${name} same`)];
            const other = await keyOf(story, `${name} other`, '--organisation', `${name}-test`);
            const run = (test: Credentials, ...args: readonly string[]) =>
              as({ production: live, test }, args[0] ?? '', `${name}.yaml`, ...args.slice(1));
            expect(await run(other, 'apply', '--env', 'production', '--yes')).toMatchObject({ code: 0 });
            for (const wrong of [live, same]) {
              const planned = await run(wrong, 'plan', ...ENV);
              expect(planned).toMatchObject({ code: 0 });
              expect(planned.stderr).toContain('TARGET_SHARED');
              const refused = await run(wrong, 'apply', ...ENV, '--yes');
              expectRefused(refused, 'TARGET_SHARED');
              expect(refused.stderr).toContain('--share-with production');
            }
            const shared = ['--share-with', 'production'] as const;
            expect((await run(same, 'apply', ...ENV, '--yes', '--share-with', 'elsewhere')).code).toBe(5);
            if (base === url)
              expect(await run(same, 'apply', ...ENV, '--yes', ...shared)).toMatchObject({ code: 0 });
            else expect(await run(other, 'apply', ...ENV, '--yes')).toMatchObject({ code: 0 });
            // Once it has begun, nobody is asked again.
            expect(await run(base === url ? same : other, 'apply', ...ENV, '--yes')).toMatchObject({
              code: 0,
            });
          }
        });
      });
    },
    2 * STORY,
  );
});
