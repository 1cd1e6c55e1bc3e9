import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { startPlatform } from '../../src/platform/platform.js';
import { testDatabase } from '../support/test-database.js';
import { at, clientOf, idAt, listAt, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

let releases: Releases;
let posts: { readonly path: string; readonly body: string }[] = [];
let count = 0;

/** Takes whatever is posted, in any shape. */
const receiver = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    posts.push({ path: incoming.url ?? '', body: Buffer.concat(chunks).toString() });
    outgoing.writeHead(200).end();
  });
});

beforeAll(async () => {
  releases = await openReleases();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await new Promise((resolve) => {
    receiver.close(resolve);
    receiver.closeAllConnections();
  });
  await releases.close();
});

beforeEach(async () => {
  await releases.api.remove('/_platform/faults');
  posts = [];
});

const rule = (fault: Json, more: JsonObject = {}): JsonObject => ({
  request: { operation: 'audit.tag.create' },
  fault,
  ...more,
});

async function set(...rules: readonly JsonObject[]): Promise<void> {
  const answer = await releases.api.post('/_platform/faults', { windlass_faults: 1, seed: 7, rules });
  expect(answer).toMatchObject({ status: 200 });
}

function tag(
  name: string,
): Promise<{ readonly status: number; readonly text: string; readonly retry: unknown }> {
  return raw('/api/audit/tag', { name });
}

async function raw(path: string, body: JsonObject) {
  const { client_id, client_secret } = releases.platform.apiKey!;
  const answer = await request(`${releases.platform.apiUrl}${path}`, {
    method: 'POST',
    headers: { client_id, client_secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: answer.statusCode,
    text: await answer.body.text(),
    retry: answer.headers['retry-after'],
    type: answer.headers['content-type'],
  };
}

/** How many tags of a name there are: what really happened. */
async function made(name: string): Promise<number> {
  const { body } = await releases.api.get('/api/audit/tag');
  return listAt(body, 'result').filter((one) => one['name'] === name).length;
}

async function log(): Promise<readonly JsonObject[]> {
  return listAt((await releases.api.get('/_platform/faults/log')).body, 'result');
}

describe('a request that a fault befalls', () => {
  it('is refused in the words of the service, and nothing is done', async () => {
    await set(rule('refuse', { when: { nth: 1 } }), rule({ refuse: { status: 404, message: 'Gone.' } }));
    expect(await tag('a')).toMatchObject({ status: 422, text: '{"message":"The given data was invalid."}' });
    expect(await tag('a')).toMatchObject({ status: 404, text: '{"message":"Gone."}' });
    expect(await made('a')).toBe(0);
  });

  it('is answered with a server error, before or after its work', async () => {
    await set(rule({ status: 500 }, { when: { nth: 1 } }), rule({ status: { code: 502, committed: true } }));
    expect(await tag('b')).toMatchObject({ status: 500, text: '{"message":"Server Error"}' });
    expect(await made('b')).toBe(0);
    expect(await tag('b')).toMatchObject({ status: 502, type: 'text/html' });
    expect(await made('b')).toBe(1);
  });

  it('is sent away with 429 and the time to wait', async () => {
    await set(rule({ too_many: '30s' }, { when: { first: 1 } }));
    expect(await tag('c')).toMatchObject({ status: 429, retry: '30' });
    expect(await tag('c')).toMatchObject({ status: 200 });
    expect(await made('c')).toBe(1);
  });

  it('is slow, and done once; its work may begin later too', async () => {
    await set(rule({ slow: '40ms' }, { when: { nth: 1 } }), rule({ slow: { by: '40ms', before: true } }));
    expect(await tag('d')).toMatchObject({ status: 200 });
    expect(await tag('d')).toMatchObject({ status: 200 });
    expect(await made('d')).toBe(2);
  });

  it('loses its connection, before its work or after it', async () => {
    await set(
      rule('drop_before_commit', { when: { nth: 1 } }),
      rule('drop_after_commit', { when: { nth: 1 } }),
    );
    await expect(tag('e')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(await made('e')).toBe(0);
    await set(rule('drop_after_commit', { name: 'after' }));
    await expect(tag('e')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(await made('e')).toBe(1);
  });

  it('gets half of an answer that says how long it was to be', async () => {
    await set(rule('cut_reply'));
    await expect(tag('f')).rejects.toMatchObject({
      code: expect.stringMatching(/UND_ERR|ECONNRESET/) as string,
    });
    expect(await made('f')).toBe(1);
  });

  it('is one of its organisation, operation, path, project or marker, and no other', async () => {
    await set(
      rule('refuse', { request: { path: '/api/audit/c*', method: 'POST' } }),
      rule('refuse', { request: { marker: 'S-7' } }),
      rule('refuse', { request: { operation: 'version.*', project: 'elsewhere' } }),
    );
    expect((await raw('/api/audit/category', { name: 'x' })).status).toBe(422);
    expect((await tag('S-7 of many')).status).toBe(422);
    expect((await tag('S-8')).status).toBe(200);
    const project = await releases.project('Here');
    expect((await releases.api.get(`/api/contract/projects/${project}/versions`)).status).toBe(200);
    expect((await releases.stranger.post('/api/audit/category', { name: 'x' })).status).toBe(200);
  });

  it('gives back the place that it took', async () => {
    const small = await openReleases({ limits: { requestsAtATime: 1 } });
    const rules = [rule('drop_after_commit', { when: { first: 3 } })];
    await small.api.post('/_platform/faults', { windlass_faults: 1, rules });
    const post = () => small.api.post('/api/audit/tag', { name: 'x'.repeat(200) });
    for (let index = 0; index < 3; index += 1) await expect(post()).rejects.toThrow();
    const status = async () => (await post()).status;
    // The end of a connection is told to the platform after it was told to the client.
    for (let index = 0; index < 3; index += 1) await expect.poll(status).toBe(200);
    await small.close();
  });
});

describe('a callback that a fault befalls', () => {
  const url = (): string =>
    `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/${String((count += 1))}/token`;

  async function trail(callback_url: string): Promise<void> {
    const body = { name: 'Trail', field: { encrypt_data: false }, callback_url };
    expect((await releases.api.post('/api/audit/contracts', body)).status).toBe(200);
  }

  const at_ = (address: string) => posts.filter(({ path }) => path === new URL(address).pathname);
  const newest = async () => listAt((await releases.api.get('/_platform/callbacks')).body, 'result')[0]!;
  const callback = (fault: Json, when: JsonObject = {}): JsonObject => ({
    callback: { of: 'audit-*' },
    when,
    fault,
  });

  it('is lost: never posted, and said so until somebody sends it again', async () => {
    await set(callback('lost'));
    const address = url();
    await trail(address);
    await expect
      .poll(newest)
      .toMatchObject({ state: 'given-up', last_result: 'lost by a fault', attempts: 0 });
    expect(at_(address)).toEqual([]);
    await releases.api.post(`/_platform/callbacks/${idAt(await newest(), 'id')}/resend`, {});
    await expect.poll(() => at_(address).length).toBe(1);
  });

  it('comes late: as late as the clock goes on', async () => {
    await set(callback({ late: '10m' }));
    const address = url();
    await trail(address);
    await expect.poll(newest).toMatchObject({ state: 'pending', last_result: 'held back by a fault' });
    await releases.api.post('/_platform/clock', { advance: '9m' });
    expect(at_(address)).toEqual([]);
    await releases.api.post('/_platform/clock', { advance: '61s' });
    expect(at_(address)).toHaveLength(1);
  });

  it('comes twice', async () => {
    await set(callback('twice'));
    const address = url();
    await trail(address);
    await expect.poll(() => at_(address).length).toBe(2);
    const [first, second] = at_(address);
    expect(first).toEqual(second);
    await expect.poll(newest).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('comes after the one behind it', async () => {
    await set(callback('reordered', { nth: 1 }));
    const [first, second] = [url(), url()];
    await trail(first);
    await expect.poll(newest).toMatchObject({ last_result: 'held back by a fault' });
    await trail(second);
    await expect.poll(() => posts.length).toBe(2);
    expect(posts.map(({ path }) => path)).toEqual([new URL(second).pathname, new URL(first).pathname]);
  });

  it.each(['success', 'failure', 'stranger'])(
    'comes behind a forged one (%s) with wrong values',
    async (as) => {
      await set(callback({ forged: as }));
      const address = url();
      await trail(address);
      await expect.poll(() => posts.length).toBe(2);
      const [forged, true_] = posts.map(({ body }) => JSON.parse(body) as Json);
      expect(textAt(true_!, 'status')).toBe('success');
      expect(textAt(forged!, 'status')).toBe(as === 'failure' ? 'failed' : 'success');
      expect(at(forged!, 'transactionHash')).not.toBe(at(true_!, 'transactionHash'));
      expect(posts[0]!.path === new URL(address).pathname).toBe(as !== 'stranger');
      expect(posts[1]!.path).toBe(new URL(address).pathname);
    },
  );

  it.each(['not_json', 'empty', 'list', 'nested', 'renamed'])('comes in a wrong shape (%s)', async (as) => {
    await set(callback({ wrong_shape: as }));
    const address = url();
    await trail(address);
    await expect.poll(() => at_(address).length).toBe(1);
    const { body } = at_(address)[0]!;
    const value = (as === 'not_json' || as === 'empty' ? null : JSON.parse(body)) as Json;
    expect(at(value, 'status')).toBeUndefined();
    if (value === null) expect(() => JSON.parse(body) as Json).toThrow(SyntaxError);
  });
});

describe('what was decided', () => {
  const chancy = [
    rule({ slow: '1ms' }, { name: 'now-and-then', when: { chance: 0.4 } }),
    rule('refuse', { name: 'third', when: { every: 3, after: 2, first: 6 } }),
  ];

  async function twelve(): Promise<readonly JsonObject[]> {
    for (let index = 0; index < 12; index += 1) await tag('many');
    return (await log()).map(({ at: _at, ...decision }) => decision);
  }

  it('is the same for the same rules and seed, and another for another seed', async () => {
    await set(...chancy);
    const first = await twelve();
    expect(first).toHaveLength(12);
    await releases.api.remove('/_platform/faults');
    await set(...chancy);
    expect(await twelve()).toEqual(first);
    await releases.api.remove('/_platform/faults');
    await releases.api.post('/_platform/faults', { windlass_faults: 1, seed: 8, rules: chancy });
    expect(await twelve()).not.toEqual(first);
  });

  it('is decided again from its log, whatever the rules were', async () => {
    await set(...chancy);
    const first = await twelve();
    const decisions = first.map(({ seq: _seq, ...decision }) => decision);
    expect(await releases.api.post('/_platform/faults/replay', { decisions })).toMatchObject({ status: 200 });
    expect((await releases.api.get('/_platform/faults')).body).toMatchObject({
      result: { replaying: true, rules: [] },
    });
    expect(await twelve()).toEqual(first);
  });

  it('is written down without anything of the request but what it asked for', async () => {
    await set(rule('refuse', { request: { marker: 'alice@example.com' } }));
    await tag('alice@example.com');
    const text = await readFile(join(releases.dataDir, 'faults.jsonl'), 'utf8');
    const line = JSON.parse(text.trim().split('\n').at(-1)!) as JsonObject;
    expect(line).toMatchObject({
      stream: 'org-1 request audit.tag.create',
      nth: 1,
      fault: { refuse: { status: 422 } },
    });
    expect(text).not.toContain('alice');
    expect(text).not.toContain(releases.platform.apiKey!.client_secret);
  });
});

describe('an organisation’s faults', () => {
  it('are its own: the other neither meets, sees nor clears them', async () => {
    const rules = [rule('refuse', { name: 'mine' })];
    await releases.stranger.post('/_platform/faults', { windlass_faults: 1, rules });
    expect((await releases.stranger.post('/api/audit/tag', { name: 'n' })).status).toBe(422);
    expect((await releases.api.post('/api/audit/tag', { name: 'n' })).status).toBe(200);
    expect((await releases.api.get('/_platform/faults')).body).toMatchObject({ result: { rules: [] } });
    expect(await log()).toEqual([]);
    expect((await releases.api.remove('/_platform/faults/mine')).status).toBe(404);
    expect((await releases.stranger.post('/api/audit/tag', { name: 'n' })).status).toBe(422);
    const foreign = [rule('refuse', { request: { organisation: 'org-1' } })];
    const everyone = [rule('refuse', { request: { organisation: '*' } })];
    for (const some of [foreign, everyone])
      expect(
        (await releases.stranger.post('/_platform/faults', { windlass_faults: 1, rules: some })).status,
      ).toBe(422);
    const decisions = [
      { stream: 'org-1 request audit.tag.create', nth: 1, rule: 'r', fault: { refuse: {} } },
    ];
    expect((await releases.stranger.post('/_platform/faults/replay', { decisions })).status).toBe(422);
    await releases.stranger.remove('/_platform/faults');
    expect((await releases.stranger.post('/api/audit/tag', { name: 'n' })).status).toBe(200);
  });

  it('may be about others when the operator says so', async () => {
    await set(rule('refuse', { request: { organisation: 'org-2' } }));
    expect((await releases.stranger.post('/api/audit/tag', { name: 'n' })).status).toBe(422);
    expect((await releases.api.post('/api/audit/tag', { name: 'n' })).status).toBe(200);
  });

  it('are not for a platform that others use, nor is its clock, unless it is told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-'));
    const common = {
      dataDir: join(folder, 'data'),
      cacheDir: folder,
      hosted: true,
      ...(await testDatabase()),
    };
    for (const [options, status] of [
      [{}, 404],
      [{ faultControls: true }, 200],
    ] as const) {
      const hosted = await startPlatform({ ...common, ...options });
      const api = clientOf(hosted.apiUrl, await hosted.createKey('n'));
      for (const path of ['faults', 'faults/log', 'clock'])
        expect([path, (await api.get(`/_platform/${path}`)).status]).toEqual([path, status]);
      await hosted.stop();
    }
    await rm(folder, { recursive: true });
  });
});
