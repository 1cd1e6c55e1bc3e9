import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { Fields } from '../../src/platform/handlers/fields.js';
import { startPlatform } from '../../src/platform/platform.js';
import type { KnownKey } from '../../src/platform/server/access/keys.js';
import { readRights } from '../../src/platform/server/access/rights.js';
import { ENDPOINTS, endpointOf, fillPath, type EndpointName } from '../../src/protocol/endpoint.js';
import { SCOPES, type Scope } from '../../src/protocol/key.js';
import { at, clientOf, listAt, textAt, wrongFields, type Answer, type Client } from './client.js';
import { CACHE_DIR, openReleases, type Releases } from './releases.js';

const DAY = 86_400_000;

let releases: Releases;
beforeEach(async () => {
  releases = await openReleases();
});
afterEach(() => releases.close());

/** Makes a key with the key of a client, and answers a client of it. */
async function keyWith(rights: JsonObject, giver: Client = releases.api): Promise<Client> {
  const { status, body } = await giver.post('/_platform/keys', { name: 'one', ...rights });
  expect([status, body]).toEqual([200, expect.anything()]);
  return clientOf(releases.platform.apiUrl, {
    client_id: textAt(body, 'result.client_id'),
    client_secret: textAt(body, 'result.client_secret'),
  });
}

const advance = (by: string) => releases.api.post('/_platform/clock', { advance: by });

/** Asks an endpoint with nothing in the request: refused with 403 before anybody looks at it, or not. */
async function refusedBy(client: Client, name: EndpointName): Promise<Json | undefined> {
  const { method, path, body } = endpointOf(name);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const filled = fillPath(path, Object.fromEntries(names.map((one) => [one, 'x'])));
  const answers: Record<string, () => Promise<Answer>> = {
    GET: () => client.get(filled),
    DELETE: () => client.remove(filled),
    PUT: () => client.put(filled, {}),
    POST: () => (body === 'multipart' ? client.form(filled, { a: 'b' }) : client.post(filled, {})),
  };
  const answer = await answers[method]!();
  return answer.status === 403 ? at(answer.body, 'required_scope') : undefined;
}

describe('the scopes of a key', () => {
  it('open exactly the endpoints of that scope, each for itself', async () => {
    const clients = await Promise.all(
      SCOPES.map(async (scope) => [scope, await keyWith({ scopes: [scope] })] as const),
    );
    for (const name of Object.keys(ENDPOINTS) as EndpointName[])
      for (const [scope, client] of clients) {
        const needed = endpointOf(name).scope;
        expect([name, scope, await refusedBy(client, name)]).toEqual([
          name,
          scope,
          scope === needed ? undefined : needed,
        ]);
      }
  });

  it('call every question a read, also one that is posted, and everything else a write', () => {
    const posted = (Object.keys(ENDPOINTS) as EndpointName[]).filter(
      (name) => endpointOf(name).method !== 'GET' && endpointOf(name).scope === 'read',
    );
    expect(posted).toEqual([
      'instance.call',
      'utils.deploy-encode',
      'utils.execute-encode',
      'utils.estimate-gas',
      'utils.simulate-transaction',
    ]);
    const got = Object.values(ENDPOINTS).filter(({ method }) => method === 'GET');
    expect(new Set(got.map(({ scope }) => scope))).toEqual(new Set(['read']));
  });

  it('let nobody operate the platform who may only write', async () => {
    const writer = await keyWith({});
    const changes: readonly (readonly [path: string, body: JsonObject])[] = [
      ['/_platform/keys', { name: 'more' }],
      ['/_platform/wallets', { name: 'more' }],
      ['/_platform/projects', { project_name: 'more' }],
      ['/_platform/callbacks/1/resend', {}],
      ['/_platform/faults', { rules: [] }],
      ['/_platform/clock', { advance: '1s' }],
    ];
    for (const [path, body] of changes) {
      const answer = await writer.post(path, body);
      expect([path, answer.status, at(answer.body, 'required_scope')]).toEqual([path, 403, 'operate']);
    }
    expect((await writer.remove('/_platform/keys/1')).status).toBe(403);
    expect((await writer.get('/_platform/keys')).status).toBe(200);
  });

  it('bind what a key signed in to the console, too', async () => {
    const reader = await keyWith({ scopes: ['read'] });
    const { body } = await releases.api.get('/_platform/keys');
    const { client_id } = listAt(body, 'result').at(-1) as { client_id: string };
    const link = releases.platform.consoleLink(client_id);
    const page = { 'x-windlass-console': '1', 'content-type': 'application/json' };
    const url = releases.platform.apiUrl;
    const signed = await fetch(`${url}/console/session`, {
      method: 'POST',
      headers: page,
      body: JSON.stringify({ code: link.split('/').at(-1) }),
    });
    const cookie = signed.headers.get('set-cookie')?.split(';')[0] ?? '';
    const made = await fetch(`${url}/_platform/keys`, {
      method: 'POST',
      headers: { ...page, cookie },
      body: JSON.stringify({ name: 'x' }),
    });
    expect([signed.status, made.status]).toEqual([200, 403]);
    const session = (await (
      await fetch(`${url}/console/session`, { headers: { ...page, cookie } })
    ).json()) as Json;
    expect(at(session, 'result.scopes')).toEqual(['read']);
    expect((await reader.get('/api/key')).status).toBe(200);
  });
});

describe('what a key is told about itself', () => {
  it('is whose it is, what it may do and until when, whatever its scopes', async () => {
    const operator = await keyWith({ scopes: 'operate', expires: '2099-01-31' });
    const { body } = await operator.get('/api/key');
    expect(at(body, 'result')).toEqual({
      platform_id: releases.platform.id,
      organisation_id: 'org-1',
      name: 'one',
      scopes: ['operate'],
      expires_at: '2099-01-31T00:00:00.000000Z',
    });
    const others = await keyWith({ organisation: 'org-2' });
    expect(at((await others.get('/api/key')).body, 'result')).toMatchObject({
      organisation_id: 'org-2',
      scopes: ['read', 'write'],
      expires_at: null,
    });
  });
});

describe('an expired key', () => {
  it('is refused with 401 and its own words, while a wrong secret is told nothing', async () => {
    const short = await keyWith({ expires: '2d', scopes: 'read,write,operate' });
    expect((await short.get('/api/contract/projects')).status).toBe(200);
    await advance('3d');
    for (const path of ['/api/contract/projects', '/api/key', '/_platform/keys']) {
      const answer = await short.get(path);
      expect([path, answer.status, textAt(answer.body, 'message')]).toEqual([
        path,
        401,
        expect.stringContaining('has expired'),
      ]);
    }
    const { body } = await releases.api.get('/_platform/keys');
    const { client_id } = listAt(body, 'result').at(-1) as { client_id: string };
    const wrong = clientOf(releases.platform.apiUrl, { client_id, client_secret: 'sk_wrong' });
    expect(textAt((await wrong.get('/api/key')).body, 'message')).toBe('Unauthenticated.');
  });

  it('signs nobody in to the console, and ends what it signed in', async () => {
    await keyWith({ expires: '1h' });
    const { body } = await releases.api.get('/_platform/keys');
    const { client_id } = listAt(body, 'result').at(-1) as { client_id: string };
    const page = { 'x-windlass-console': '1', 'content-type': 'application/json' };
    const code = releases.platform.consoleLink(client_id).split('/').at(-1);
    const signIn = () =>
      fetch(`${releases.platform.apiUrl}/console/session`, {
        method: 'POST',
        headers: page,
        body: JSON.stringify({ code }),
      });
    const cookie = (await signIn()).headers.get('set-cookie')?.split(';')[0] ?? '';
    const read = () =>
      fetch(`${releases.platform.apiUrl}/_platform/console/overview`, { headers: { ...page, cookie } });
    expect((await read()).status).toBe(200);
    await advance('2h');
    expect((await read()).status).toBe(401);
  });
});

describe('a key that makes keys', () => {
  it('gives no scope that it lacks and no longer life than its own', async () => {
    const giver = await keyWith({ scopes: ['read', 'operate'], expires: '10d' });
    const ask = (rights: JsonObject) => giver.post('/_platform/keys', { name: 'child', ...rights });
    expect(wrongFields(await ask({ scopes: ['write'] }))).toEqual(['scopes']);
    expect(wrongFields(await ask({ scopes: 'read,write,operate' }))).toEqual(['scopes']);
    expect(wrongFields(await ask({ expires: '11d' }))).toEqual(['expires']);
    expect(wrongFields(await ask({ expires: '2099-01-01' }))).toEqual(['expires']);
    const child = await keyWith({}, giver);
    expect(at((await child.get('/api/key')).body, 'result')).toMatchObject({
      scopes: ['read'],
      expires_at: at((await giver.get('/api/key')).body, 'result.expires_at'),
    });
  });

  it('is refused words that are no scope, no time or no future', async () => {
    const ask = (rights: JsonObject) => releases.api.post('/_platform/keys', { name: 'child', ...rights });
    for (const scopes of ['admin', ['read', 'admin'], [], '', ',', 7, { read: true }, [['read']]] as Json[])
      expect([scopes, (await ask({ scopes })).status]).toEqual([scopes, scopes === '' ? 200 : 422]);
    for (const expires of [
      'yesterday',
      '0d',
      '-1d',
      '2020-01-01',
      '2026-13-01',
      '01/02/2099',
      '99999d',
      'null',
      9,
    ])
      expect([expires, wrongFields(await ask({ expires }))]).toEqual([expires, ['expires']]);
    expect(wrongFields(await ask({ name: 'command line' }))).toEqual(['name']);
  });

  it('never gives more than it has, whatever is asked for', () => {
    const scopes = fc.subarray([...SCOPES], { minLength: 1 });
    const now = Date.parse('2026-06-01T00:00:00Z');
    const end = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: null });
    const asked = fc.record(
      { scopes, expires: fc.integer({ min: 1, max: 2000 }).map((days) => `${String(days)}d`) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(scopes, end, asked, (own: readonly Scope[], days, body) => {
        const expires_at = days === null ? null : new Date(now + days * DAY).toISOString();
        const giver: KnownKey = { org: 'o', name: 'n', clientId: 'c', scopes: own, expires_at };
        const fields = new Fields(body);
        const rights = readRights(fields, giver, now);
        try {
          fields.check();
        } catch {
          return;
        }
        expect(rights.scopes.every((scope) => own.includes(scope))).toBe(true);
        if (expires_at !== null)
          expect(Date.parse(rights.expires_at ?? '9999')).toBeLessThanOrEqual(Date.parse(expires_at));
      }),
    );
  });
});

describe('the list of keys', () => {
  it('shows scopes, end and the hour of the last use, and no secret', async () => {
    const used = await keyWith({ name: 'used', scopes: 'read', expires: '30d' });
    await keyWith({ name: 'unused' });
    await used.get('/api/contract/projects');
    const rows = async () => listAt((await releases.api.get('/_platform/keys')).body, 'result');
    await expect
      .poll(async () => (await rows()).find(({ name }) => name === 'used')?.['last_used_at'])
      .toMatch(/T\d\d:00:00\.000000Z$/);
    const all = await rows();
    expect(all.find(({ name }) => name === 'used')).toMatchObject({ scopes: ['read'] });
    expect(all.find(({ name }) => name === 'unused')).toMatchObject({ last_used_at: null, expires_at: null });
    expect(all.find(({ name }) => name === 'development')).toMatchObject({ scopes: [...SCOPES] });
    expect(JSON.stringify(all)).not.toContain('secret');
  });
});

describe('/rpc with a key', () => {
  it('reads with read and sends with write, call by call in a batch', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-'));
    const dataDir = join(folder, 'data');
    const hosted = await startPlatform({ dataDir, cacheDir: CACHE_DIR, hosted: true });
    try {
      const operator = clientOf(hosted.apiUrl, await hosted.createKey('first'));
      const call = (method: string, params: readonly Json[] = []) => ({
        jsonrpc: '2.0',
        id: method,
        method,
        params,
      });
      const batch = [call('eth_chainId'), call('eth_sendRawTransaction', ['0x00'])];
      const codes = async (scopes: readonly Scope[]): Promise<readonly Json[]> => {
        const { body } = await operator.post('/_platform/keys', { name: 'k', scopes });
        const key = {
          client_id: textAt(body, 'result.client_id'),
          client_secret: textAt(body, 'result.client_secret'),
        };
        const answer = await clientOf(hosted.apiUrl, key).post('/rpc', batch);
        return [0, 1].map((index) => at(answer.body, `${String(index)}.error.code`) ?? 'done');
      };
      const [NOT_ALLOWED, UNREADABLE] = [4100, -32_000];
      expect(await codes(['read'])).toEqual(['done', NOT_ALLOWED]);
      expect(await codes(['write'])).toEqual([NOT_ALLOWED, UNREADABLE]);
      expect(await codes(['read', 'write'])).toEqual(['done', UNREADABLE]);
    } finally {
      await hosted.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the key of the command line', () => {
  it('is one at a time: each start of a hosted platform takes the last one away', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-'));
    const dataDir = join(folder, 'data');
    const hosted = await startPlatform({ dataDir, cacheDir: CACHE_DIR, hosted: true });
    try {
      const first = clientOf(hosted.apiUrl, await hosted.commandLineKey());
      expect((await first.get('/api/key')).status).toBe(200);
      const second = clientOf(hosted.apiUrl, await hosted.commandLineKey());
      expect((await first.get('/api/key')).status).toBe(401);
      expect(listAt((await second.get('/_platform/keys')).body, 'result')).toHaveLength(1);
    } finally {
      await hosted.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
