import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shownKeys } from '../../src/platform/console/keys.js';
import { KEY_TABLES, newApiKey, recordApiKey } from '../../src/platform/server/access/keys.js';
import { Sessions } from '../../src/platform/console/sessions.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { FastifyRequest } from 'fastify';
import type { Json } from '../../src/model/json.js';
import { clientOf, idAt, listAt, textAt, type Answer } from './client.js';
import { METADATA, releaseEverything, type ConsoleWorld } from './console-world.js';
import { openReleases, type Releases } from './releases.js';

let releases: Releases;
let world: ConsoleWorld;

beforeAll(async () => {
  releases = await openReleases();
  world = await releaseEverything(releases);
}, 120_000);

afterAll(() => releases.close());

const FROM_PAGE = { 'x-windlass-console': '1' };

/** Asks as a browser would, with whatever headers a page can make it send. */
async function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Json,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer & { readonly cookie: string; readonly headers: Record<string, unknown> }> {
  const json = body !== undefined && { body: JSON.stringify(body) };
  const type = body !== undefined && { 'content-type': 'application/json' };
  const url = `${releases.platform.apiUrl}${path}`;
  const answer = await request(url, { method: method as 'GET', headers: { ...headers, ...type }, ...json });
  const text = await answer.body.text();
  const cookie = String(answer.headers['set-cookie'] ?? '');
  const parsed = /^[[{]/.test(text) ? (JSON.parse(text) as Json) : text;
  return { status: answer.statusCode, body: parsed, cookie, headers: answer.headers };
}

async function signIn(body?: Json): Promise<string> {
  const answer = await ask('/console/session', FROM_PAGE, body ?? { ...releases.platform.apiKey! });
  expect(answer.status).toBe(200);
  return answer.cookie.split(';')[0] ?? '';
}

const KEY = { clientId: 'key', org: 'org-1' };

describe('the list of transactions', () => {
  it('tells a mint from a transfer', async () => {
    const { body } = await releases.api.get('/_platform/console/transactions', { kind: 'certificate' });
    const kinds = listAt(body, 'result.items').map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['certificate-mint']));
  });
});

describe('signing in to the console', () => {
  it('gives a cookie that no script reads and no other site sends, and keeps no secret in it', async () => {
    const { cookie } = await ask('/console/session', FROM_PAGE, { ...releases.platform.apiKey! });
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(releases.platform.apiKey!.client_secret);
    expect(cookie).not.toContain(releases.platform.apiKey!.client_id);
  });

  it('is asked of the console’s own page only, as every request of a session is', async () => {
    const cookie = await signIn();
    const read = '/_platform/console/overview';
    expect((await ask(read, { ...FROM_PAGE, cookie })).status).toBe(200);
    expect((await ask('/api/contract/projects', { ...FROM_PAGE, cookie })).status).toBe(200);
    // What another page of this host can make a browser send: the cookie, but no header of its own.
    expect((await ask(read, { cookie })).status).toBe(401);
    expect((await ask('/_platform/keys', { cookie }, { name: 'mine' })).status).toBe(401);
    const elsewhere = { ...FROM_PAGE, cookie, 'sec-fetch-site': 'same-site' };
    expect((await ask(read, elsewhere)).status).toBe(401);
    const options = await ask(
      read,
      { origin: 'http://127.0.0.1:1', 'access-control-request-headers': 'x-windlass-console' },
      undefined,
      'OPTIONS',
    );
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask('/console/session', {}, { ...releases.platform.apiKey! })).status).toBe(403);
  });

  it('fails with a wrong pair, and nobody is signed in then', async () => {
    const wrong = { ...releases.platform.apiKey!, client_secret: 'sk_wrong' };
    expect((await ask('/console/session', FROM_PAGE, wrong)).status).toBe(401);
    expect((await ask('/console/session', FROM_PAGE, { code: 'guess' })).status).toBe(401);
    expect((await ask('/console/session', FROM_PAGE)).body).toMatchObject({ result: null });
  });

  it('ends by signing out, for that session alone', async () => {
    const [one, two] = [await signIn(), await signIn()];
    await ask('/console/session', { ...FROM_PAGE, cookie: one }, {}, 'DELETE');
    const read = '/_platform/console/overview';
    expect((await ask(read, { ...FROM_PAGE, cookie: one })).status).toBe(401);
    expect((await ask(read, { ...FROM_PAGE, cookie: two })).status).toBe(200);
  });

  it('works by a link once, with the key that made it', async () => {
    const made = await releases.api.post('/_platform/console-link', {});
    const code = textAt(made.body, 'result.url').split('/sign-in/')[1] ?? '';
    const cookie = await signIn({ code });
    const { body } = await ask('/console/session', { ...FROM_PAGE, cookie });
    expect(body).toMatchObject({ result: { organisation: 'org-1', key: 'development' } });
    expect((await ask('/console/session', FROM_PAGE, { code })).status).toBe(401);
  });
});

describe('a session', () => {
  const request_ = (token: string, cookie: string): FastifyRequest =>
    ({ headers: { ...FROM_PAGE, cookie: `other=1; ${cookie}=${token}` } }) as unknown as FastifyRequest;

  it('ends after twelve hours without a request, and a link after fifteen minutes', () => {
    let now = 0;
    const sessions = new Sessions({ platform: 'p', clock: () => now, capacity: 3 });
    const token = sessions.open(KEY);
    const [soon, late] = [sessions.link(KEY), sessions.link(KEY)];
    now += 15 * 60_000 - 1;
    expect(sessions.redeem(soon)).toMatchObject(KEY);
    expect(sessions.redeem(soon)).toBeUndefined();
    now += 1;
    expect(sessions.redeem(late)).toBeUndefined();
    now += 11 * 3_600_000;
    expect(sessions.clientOf(request_(token, sessions.cookie))).toBe('key');
    now += 11 * 3_600_000;
    expect(sessions.clientOf(request_(token, sessions.cookie))).toBe('key');
    now += 12 * 3_600_000;
    expect(sessions.clientOf(request_(token, sessions.cookie))).toBeUndefined();
  });

  it('makes way for newer ones of its own organisation, and for nobody else’s', () => {
    const sessions = new Sessions({ platform: 'p', clock: () => 0, capacity: 3 });
    const mine = Array.from({ length: 3 }, () => sessions.open(KEY));
    const link = sessions.link(KEY);
    for (let count = 0; count < 2000; count += 1) {
      sessions.open({ clientId: 'other', org: 'org-2' });
      sessions.link({ clientId: 'other', org: 'org-2' });
    }
    const clients = () => mine.map((token) => sessions.clientOf(request_(token, sessions.cookie)));
    expect(clients()).toEqual(['key', 'key', 'key']);
    expect(sessions.redeem(link)).toMatchObject(KEY);
    sessions.open(KEY);
    expect(clients()).toEqual([undefined, 'key', 'key']);
  });

  it('is of one platform: another one on the same host has another cookie', () => {
    const [one, two] = ['one', 'two'].map(
      (platform) => new Sessions({ platform, clock: () => 0, capacity: 3 }),
    );
    expect(one!.cookie).not.toBe(two!.cookie);
  });
});

describe('keys', () => {
  it('are revoked with everything that they opened, except the one that asks and the folder’s own', async () => {
    const { apiUrl } = releases.platform;
    const pair = (await releases.api.post('/_platform/keys', { name: 'temporary', scopes: 'read,operate' }))
      .body;
    const key = {
      client_id: textAt(pair, 'result.client_id'),
      client_secret: textAt(pair, 'result.client_secret'),
    };
    const cookie = await signIn(key);
    const temporary = clientOf(apiUrl, key);
    const keys = listAt((await temporary.get('/_platform/console/keys')).body, 'result');
    expect(keys.map(({ name, held }) => [name, held])).toEqual([
      ['development', 'development'],
      ['temporary', 'session'],
    ]);
    const [development, own] = [idAt(keys[0]!, 'id'), idAt(keys[1]!, 'id')];
    expect((await temporary.remove(`/_platform/keys/${own}`)).status).toBe(422);
    expect((await temporary.remove(`/_platform/keys/${development}`)).status).toBe(422);
    expect((await releases.api.remove(`/_platform/keys/${own}`)).status).toBe(200);
    expect((await temporary.get('/api/contract/projects')).status).toBe(401);
    expect((await ask('/_platform/console/overview', { ...FROM_PAGE, cookie })).status).toBe(401);
    expect((await releases.api.remove(`/_platform/keys/${own}`)).status).toBe(404);
  });
});

describe('the list of keys', () => {
  it('says what each may, and which has ended by the platform’s clock', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keys-'));
    const records = openRecords(join(folder, 'records.db'), [KEY_TABLES]);
    const made = Date.parse('2026-01-01T00:00:00.000Z');
    for (const [name, expires_at] of [
      ['old', '2026-01-31T00:00:00.000Z'],
      ['young', null],
    ] as const) {
      const rights = { scopes: ['read'], expires_at } as const;
      await records.transact((writer) =>
        recordApiKey(writer, newApiKey(), { org: 'o', name, now: made, rights }),
      );
    }
    const expiredAt = async (now: string): Promise<readonly unknown[]> => {
      const rules = { org: 'o', own: undefined, development: undefined, now: Date.parse(now) };
      return (await shownKeys(records, rules)).map(({ name, scopes, expired }) => [name, scopes, expired]);
    };
    expect(await expiredAt('2026-01-30T23:59:59.999Z')).toEqual([
      ['old', ['read'], false],
      ['young', ['read'], false],
    ]);
    expect((await expiredAt('2026-01-31T00:00:00.000Z'))[0]).toEqual(['old', ['read'], true]);
    await records.close();
    await rm(folder, { recursive: true });
  });
});

describe('what the console tells', () => {
  it('masks the names of people until one is asked for, and never tells their identity number', async () => {
    const list = JSON.stringify(
      (await releases.api.get('/_platform/console/wallets', { type: 'end_user' })).body,
    );
    expect(list).toContain('A••• T•••');
    expect(list).not.toMatch(/Alice|Tan|example\.com|900101/);
    const told = await releases.api.post(`/_platform/console/wallets/${world.person}/reveal`, {});
    expect(told.body).toMatchObject({
      result: { name: 'Alice Tan', email: 'alice@example.com', phone: null },
    });
    expect(JSON.stringify(told.body)).not.toContain('900101');
    const organisation = `/_platform/console/wallets/${releases.platform.wallets[0] ?? ''}/reveal`;
    expect((await releases.api.post(organisation, {})).status).toBe(404);
    const found = await releases.api.get('/_platform/console/search', { q: 'alice' });
    expect(listAt(found.body, 'result.items')).toEqual([]);
  });

  it('holds no secret path of a callback, whatever is read', async () => {
    const { body } = await releases.api.get('/_platform/console/callbacks');
    const [first] = listAt(body, 'result.items');
    const one = await releases.api.get(`/_platform/console/callbacks/${idAt(first!, 'id')}`);
    const deployment = await releases.api.get(`/_platform/console/deployments/${world.deployment}`);
    const transaction = await releases.api.get(`/_platform/console/transactions/${world.record}`);
    const texts = [body, one.body, deployment.body, transaction.body].map((part) => JSON.stringify(part));
    expect(texts.every((text) => text.includes('http://127.0.0.1:'))).toBe(true);
    expect(texts.filter((text) => text.includes('/callback/'))).toEqual([]);
  });

  it('lists requests without query and body, refusals with what they said, and not its own', async () => {
    await releases.api.get('/api/certificate/get-certificate', { to: 'nobody' });
    await ask('/api/contract/projects', { ...FROM_PAGE, cookie: await signIn() });
    const items = listAt((await releases.api.get('/_platform/console/requests')).body, 'result');
    expect(items[0]).toMatchObject({
      method: 'GET',
      path: '/api/certificate/get-certificate',
      status: 422,
      message: 'The to field must be a valid address.',
    });
    expect(JSON.stringify(items)).not.toMatch(/nobody|alice|genuine/);
    expect(items.length).toBeGreaterThan(5);
  });
});

describe('verifying an audit record', () => {
  const verify = async (): Promise<Json> => {
    const [record] = listAt((await releases.api.get('/_platform/console/audit')).body, 'result.items');
    const path = `/_platform/console/audit/${idAt(record!, 'id')}/verify`;
    return (await releases.api.post(path, {})).body;
  };

  it('finds it intact by its hash, the digest on the chain, its author and its receipt', async () => {
    const verdict = await verify();
    expect(textAt(verdict, 'result.verdict')).toBe('intact');
    expect(listAt(verdict, 'result.checks').map(({ outcome }) => outcome)).toEqual([
      'match',
      'match',
      'match',
      'match',
    ]);
  });

  it.skipIf(process.env['WINDLASS_TEST_DATABASE'] === 'postgres')(
    'finds an altered end that bcrypt does not read, by the digest on the chain, and an altered hash',
    async () => {
      const records = openRecords(join(releases.dataDir, 'records.db'), []);
      const write = (column: string, text: string): Promise<number> =>
        records.transact((writer) => writer.run(`UPDATE audit_records SET ${column} = ?`, [text]));
      const true_ = (await records.first<{ metadatahash: string; from_address: string }>(
        'SELECT metadatahash, from_address FROM audit_records',
      ))!;
      const outcomes = async (): Promise<readonly unknown[]> => {
        const verdict = await verify();
        expect(textAt(verdict, 'result.verdict')).toBe('altered');
        return listAt(verdict, 'result.checks').map(({ outcome }) => outcome);
      };
      await write('metadata', METADATA.replace('genuine', 'forged!'));
      expect(await outcomes()).toEqual(['match', 'mismatch', 'match', 'match']);
      await write('metadata', METADATA);
      await write('metadatahash', 'no hash');
      expect(await outcomes()).toEqual(['mismatch', 'match', 'match', 'match']);
      await write('metadatahash', true_.metadatahash);
      await write('from_address', world.person);
      expect(await outcomes()).toEqual(['match', 'match', 'mismatch', 'match']);
      await write('from_address', true_.from_address);
      await records.close();
    },
  );
});

describe('the console’s page', () => {
  it('comes with a policy that allows nothing from elsewhere and nothing inline, and is only its own files', async () => {
    const page = await ask('/console/', {});
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(page.body).toContain('<div id="app">');
    expect(page.body).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=|https?:/);
    for (const path of ['/console/main.js', '/console/style.css', '/console/vendor/hooks.js']) {
      expect((await ask(path, {})).status).toBe(200);
    }
    for (const path of [
      '/console/tsconfig.json',
      '/console/..%2fassets.js',
      '/console/vendor/react.js',
      '/console/no.js',
    ]) {
      expect((await ask(path, {})).status).toBe(404);
    }
  });

  it('is where the platform’s first address and the address without a slash lead', async () => {
    for (const path of ['/', '/console']) {
      const answer = await ask(path, {});
      const there = new URL(String(answer.headers['location']), `http://localhost${path}`);
      expect([answer.status, there.pathname]).toEqual([302, '/console/']);
    }
  });
});
