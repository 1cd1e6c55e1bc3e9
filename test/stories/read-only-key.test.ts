import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { clientOf, textAt, type Credentials } from '../platform/client.js';
import { windlass, type Ended } from '../cli/command.js';
import { STORY, tellStory } from '../support/story.js';

const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
`;

const planFor = (baseUrl: string): string => `windlass: 1
name: keys
environments:
  test:
    base_url: ${baseUrl}
    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }
    callbacks: off
    rpc_url: ${baseUrl}/rpc
    capabilities: [projects, instances, receipts, lists, utils]
  twin: { base_url: ${baseUrl}, credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }, callbacks: off, capabilities: [projects, instances, receipts, lists, utils] }
wallets:
  office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
projects:
  notes:
    versions:
      1.0.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true, runs: 200 } }, sources: [src/*.sol] }
deployments:
  core: { version: notes@1.0.0, wallet: { type: organisation, use: office }, contracts: { Note: { params: { text_: hello } } } }
audit:
  tags: [v1]
  contracts: { releases: { encrypt_data: false } }
  records:
    first: { contract: releases, signer: office, metadata: { note: <Note_ADDRESS> }, tags: [v1] }
`;

interface Keys {
  readonly keyWith: (scopes: string, expires?: string) => Promise<Credentials>;
  /** What the platform holds of the plan. */
  readonly counts: () => Promise<readonly number[]>;
}

async function keysOf(folder: string, apiUrl: string): Promise<Keys> {
  const own = JSON.parse(await readFile(join(folder, '.windlass/platform.json'), 'utf8')) as Credentials;
  const all = clientOf(apiUrl, own);
  return {
    keyWith: async (scopes, expires) => {
      const { body } = await all.post('/_platform/keys', {
        name: scopes,
        scopes,
        ...(expires && { expires }),
      });
      return {
        client_id: textAt(body, 'result.client_id'),
        client_secret: textAt(body, 'result.client_secret'),
      };
    },
    counts: () =>
      Promise.all(
        [
          '/api/contract/projects',
          '/api/audit/tag',
          '/api/audit/contracts',
          '/api/contract/smart-contracts',
        ].map(
          async (path) =>
            ((await all.get(path)).body as { readonly result: readonly unknown[] }).result.length,
        ),
      ),
  };
}

const runnerIn =
  (cwd: string) =>
  (key: Credentials, ...args: readonly string[]): Promise<Ended> =>
    windlass(args, { cwd, env: { WINDLASS_VAR_ID: key.client_id, WINDLASS_VAR_SECRET: key.client_secret } });

describe('a key that only reads', () => {
  it(
    'plans, and its apply is refused before anything is sent',
    async () => {
      await tellStory({ 'src/Note.sol': NOTE }, {}, async ({ folder, apiUrl, write }) => {
        await write({ 'windlass.yaml': planFor(apiUrl) });
        const { keyWith, counts } = await keysOf(folder, apiUrl);
        const run = runnerIn(folder);
        const [reader, writer] = [await keyWith('read'), await keyWith('read,write')];

        const planned = await run(reader, 'plan', '--env', 'test', '--detailed-exitcode');
        expect(planned).toMatchObject({ code: 2 });
        const nothing = await counts();
        const refused = await run(reader, 'apply', '--env', 'test', '--yes');
        expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('REMOTE_SCOPE') as string });
        expect(await counts()).toEqual(nothing);
        expect(await run(writer, 'plan', '--env', 'test')).toMatchObject({ code: 0 });

        expect(await run(writer, 'apply', '--env', 'test', '--yes')).toMatchObject({ code: 0 });
        expect(await counts()).not.toEqual(nothing);
      });
    },
    STORY,
  );

  it(
    'is enough for everything that plan, verify, status and drift ask, the node of the chain included',
    async () => {
      await tellStory({ 'src/Note.sol': NOTE }, {}, async ({ folder, apiUrl, write }) => {
        const { keyWith } = await keysOf(folder, apiUrl);
        const [reader, writer] = [await keyWith('read'), await keyWith('read,write')];
        const exchange = await openExchange(apiUrl);
        try {
          await write({ 'windlass.yaml': planFor(exchange.url) });
          const run = (...args: readonly string[]) => runnerIn(folder)(writer, ...args);
          expect(await run('apply', '--env', 'test', '--yes')).toMatchObject({ code: 0 });
          exchange.use(reader);
          const commands: readonly (readonly string[])[] = [
            ['plan', '--env', 'test', '--detailed-exitcode'],
            ['plan', '--env', 'test', '--refresh-only'],
            ['verify', '--env', 'test'],
            ['status', '--env', 'test'],
            ['outputs', '--env', 'test'],
            ['diff-env', 'test', 'twin'],
            // With nothing to send, an apply reads only.
            ['apply', '--env', 'test', '--yes'],
          ];
          for (const command of commands)
            expect([command, await run(...command)]).toMatchObject([command, { code: 0 }]);
          expect(exchange.refused()).toEqual([]);
        } finally {
          exchange.close();
        }
      });
    },
    STORY,
  );

  it(
    'is told apart by doctor, which says what a key may do and warns before it ends',
    async () => {
      await tellStory({ 'src/Note.sol': NOTE }, {}, async ({ folder, apiUrl, write }) => {
        await write({ 'windlass.yaml': planFor(apiUrl) });
        const { keyWith } = await keysOf(folder, apiUrl);
        const findingFor = async (key: Credentials) => {
          const { stdout } = await runnerIn(folder)(key, 'doctor', '--env', 'test', '--format', 'json');
          const { findings } = JSON.parse(stdout) as {
            readonly findings: readonly {
              readonly check: string;
              readonly state: string;
              readonly message: string;
            }[];
          };
          return findings.find(({ check }) => check === 'key');
        };
        expect(await findingFor(await keyWith('read', '90d'))).toMatchObject({
          state: 'ok',
          message: expect.stringMatching(/may read for org-1, until \d{4}-/) as string,
        });
        expect(await findingFor(await keyWith('read,write', '3d'))).toMatchObject({ state: 'wrong' });
        const wrong = await findingFor({ client_id: 'nobody', client_secret: 'nothing' });
        expect(wrong).toMatchObject({ state: 'wrong', message: expect.stringContaining('401') as string });
      });
    },
    STORY,
  );
});

/** A way to the platform on which one key can take the place of another, under the same address. */
async function openExchange(apiUrl: string) {
  const refused: string[] = [];
  let key: Credentials | undefined;
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { host: _host, connection: _connection, ...headers } = incoming.headers;
      const answer = await request(`${apiUrl}${incoming.url ?? ''}`, {
        method: incoming.method as 'GET',
        headers: { ...headers, ...key },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      if (answer.statusCode === 403) refused.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
      const { connection: _kept, 'transfer-encoding': _coding, ...told } = answer.headers;
      response.writeHead(answer.statusCode, told).end(Buffer.from(await answer.body.arrayBuffer()));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    use: (other: Credentials) => (key = other),
    refused: () => refused,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
