import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/platform/admission/gate.js';
import { limitsOf } from '../../src/platform/admission/limits.js';
import { Rates } from '../../src/platform/admission/rates.js';
import type { Reader } from '../../src/platform/state/records.js';
import { openReleases, releasesOf, type Releases } from './releases.js';

const LABEL = { name: 'n' };

function headersOf({ platform }: Releases): Record<string, string> {
  const { client_id, client_secret } = platform.apiKey!;
  return { client_id, client_secret };
}

/** Begins a request whose body does not come. */
function beginBody({
  apiUrl,
  path = '/api/audit/tag',
  headers,
  bytes,
}: {
  readonly apiUrl: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}): { readonly socket: Socket; answered(): boolean } {
  let answered = false;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(apiUrl).port) });
  socket.on('data', () => (answered = true));
  const head = Object.entries({ ...headers, host: '127.0.0.1', 'content-length': String(bytes) });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\ncontent-type: application/json\r\n${lines}\r\n{`);
  return { socket, answered: () => answered };
}

describe('a platform with a rate', () => {
  it('answers 429 with the time to wait to the organisation that is over it, and to no other', async () => {
    let time = Date.now();
    const releases = await openReleases({ limits: { requestsPerMinute: 6 }, now: () => time });
    const post = () =>
      request(`${releases.platform.apiUrl}/api/audit/tag`, {
        method: 'POST',
        headers: { ...headersOf(releases), 'content-type': 'application/json' },
        body: JSON.stringify(LABEL),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) statuses.push((await post()).statusCode);
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
    const refused = await post();
    expect(await refused.body.json()).toEqual({ message: 'Too many requests, please try again later.' });
    expect(Number(refused.headers['retry-after'])).toBe(10);
    expect((await releases.stranger.get('/api/audit/tag')).status).toBe(200);
    time += 10_000;
    expect([(await post()).statusCode, (await post()).statusCode]).toEqual([200, 429]);
    await releases.close();
  });
});

describe('a platform at its limits', () => {
  it('refuses writes while too much waits, and goes on reading', async () => {
    const releases = await openReleases({ limits: { waiting: 0 } });
    const answer = await releases.api.post('/api/audit/tag', LABEL);
    expect(answer).toEqual({ status: 503, body: { message: 'Too many requests are waiting.' } });
    expect((await releases.api.get('/api/audit/tag')).status).toBe(200);
    await releases.close();
  });

  it('holds no place for a caller who went away before he was known', async () => {
    const key = { client_id: 'id', client_secret: 'sk_secret' };
    let found: (row: unknown) => void = () => undefined;
    let asked = 0;
    // Records that say who a caller is when they are told to.
    const first: Reader['first'] = async <Row>(sql: string) => {
      if (sql.includes('count(*)')) return { n: 0 } as Row;
      asked += 1;
      return new Promise<unknown>((resolve) => (found = resolve)) as Promise<Row | undefined>;
    };
    const reader: Reader = { all: async () => [], first };
    const limits = limitsOf({ requestsAtATime: 1, waiting: 10 }, false);
    const gate = new Gate({ limits, rates: new Rates(Infinity, Date.now), reader, now: Date.now });
    const server = Fastify({ forceCloseConnections: true });
    gate.watch(server);
    const closed: Promise<void>[] = [];
    server.addHook('onRequest', async (_request, reply) => {
      closed.push(new Promise((resolve) => reply.raw.once('close', () => resolve())));
    });
    const admitted: unknown[] = [];
    server.post('/x', {
      onRequest: async (request) => {
        await gate
          .admit('write')(request)
          .catch((cause: unknown) => {
            admitted.push(cause);
            throw cause;
          });
      },
      handler: async () => 'taken',
    });
    const apiUrl = await server.listen({ port: 0, host: '127.0.0.1' });
    const secret_hash = createHash('sha256').update(key.client_secret).digest('hex');
    const gone = beginBody({ apiUrl, path: '/x', headers: key, bytes: 900 });
    await expect.poll(() => asked).toBe(1);
    gone.socket.destroy();
    await expect.poll(() => closed.length).toBe(1);
    await closed[0];
    found({
      org: 'org-1',
      name: 'n',
      client_id: key.client_id,
      secret_hash,
      scopes: 'write',
      expires_at: null,
    });
    await expect.poll(() => admitted).toMatchObject([{ status: 503 }]);
    const next = request(`${apiUrl}/x`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify('x'.repeat(800)),
    });
    await expect.poll(() => asked).toBe(2);
    found({
      org: 'org-1',
      name: 'n',
      client_id: key.client_id,
      secret_hash,
      scopes: 'write',
      expires_at: null,
    });
    expect((await next).statusCode).toBe(200);
    await server.close();
  });

  it('keeps no more files of an organisation than it has room for, and of the others what they have', async () => {
    const releases = await openReleases({ limits: { storedBytes: 3000 } });
    const project = await releases.project('Room');
    const path = `/api/contract/projects/${project}/versions`;
    const source = (letter: string) => `// ${letter.repeat(1400)}\ncontract C {}`;
    const put = async (letter: string, filename = 'C.sol') => {
      const sources = { [filename]: source(letter) };
      return (await releases.submit(path, { sources })).status;
    };
    expect([await put('a'), await put('b')]).toEqual([200, 200]);
    expect(await put('c')).toBe(507);
    // What is kept already takes no more room.
    expect(await put('a')).toBe(200);
    expect(await put('b', 'D.sol')).toBe(507);
    const files = await readdir(join(releases.dataDir, 'files'), { recursive: true });
    expect(files.filter((name) => /[0-9a-f]{64}$/.test(name))).toHaveLength(2);
    const theirs = releasesOf(releases.platform.apiUrl, releases.strangerKey, releases.stranger);
    const other = await theirs.project('Theirs');
    const sources = { 'C.sol': source('c') };
    const answer = await theirs.submit(`/api/contract/projects/${other}/versions`, { sources });
    expect(answer.status).toBe(200);
    await releases.close();
  });

  it('takes no form that is too large as a whole, though each of its files is small', async () => {
    const releases = await openReleases();
    const project = await releases.project('Big');
    const text = `// ${'x'.repeat(4_000_000)}\ncontract C {}`;
    const sources = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`C${String(n)}.sol`, text]));
    const answer = await releases
      .submit(`/api/contract/projects/${project}/versions`, { sources })
      .catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
    const { total } = (await releases.api.get(`/api/contract/projects/${project}/versions`)).body as {
      total?: number;
    };
    expect(total ?? 0).toBe(0);
    await releases.close();
  });
});
