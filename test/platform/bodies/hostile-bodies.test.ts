import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAt } from '../client.js';
import { headOf, openRaw } from '../raw-socket.js';
import { openReleases, type Releases } from '../releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const MINT = '/api/certificate/mint-certificate';

/** Sends a request whole over a socket, and reads the answer. */
async function send(
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { client_id, client_secret } = releases.platform.apiKey!;
  const raw = openRaw(releases.platform.apiUrl);
  const length = Buffer.byteLength(body);
  const common = { client_id, client_secret, 'content-type': 'application/json', 'content-length': length };
  raw.write(headOf(`POST ${path}`, { ...common, ...headers }));
  raw.write(body);
  await expect.poll(() => raw.statuses().length).toBe(1);
  await expect.poll(() => raw.said().includes('"}') || raw.said().includes(']}')).toBe(true);
  raw.socket.destroy();
  return { status: raw.statuses()[0] ?? 0, text: raw.said() };
}

/** Sends a form with fields as they stand. */
function form(fields: readonly (readonly [head: string, value: string])[]) {
  const boundary = 'xxBOUNDARYxx';
  const parts = fields.map(
    ([head, value]) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`,
  );
  return {
    body: `${parts.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

describe('a hostile body', () => {
  it.each([
    ['/api/audit/tag', '['.repeat(60_000), 422, 'nest deeper than 64 levels'],
    ['/api/audit/tag', `{"name":${'{"a":'.repeat(5000)}`, 422, 'nest deeper than 64 levels'],
    ['/_platform/wallets', '['.repeat(60_000), 422, 'nest deeper than 64 levels'],
    ['/rpc', '['.repeat(60_000), 422, 'nest deeper than 64 levels'],
    ['/api/audit/audit', `{"tag_id":[${'1,'.repeat(150_000)}1]}`, 422, 'hold more than 100000 values'],
    ['/api/audit/tag', `{"name":"${'x'.repeat(70_000)}"}`, 413, 'greater than 65536 bytes'],
    ['/_platform/projects', `{"name":"${'x'.repeat(70_000)}"}`, 413, 'greater than 65536 bytes'],
  ])('sent to %s is refused before anything is made of it: %#', async (path, body, status, text) => {
    const answer = await send(path, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
    expect(answer.text).toContain('"errors":{"body"');
  });

  it('that announces 32 MB is refused with the limit before a byte of it is sent, and holds nobody up', async () => {
    const { client_id, client_secret } = releases.platform.apiKey!;
    const raw = openRaw(releases.platform.apiUrl);
    const headers = {
      client_id,
      client_secret,
      'content-type': 'application/json',
      'content-length': 32_000_000,
    };
    raw.write(headOf('POST /api/audit/tag', headers));
    await expect.poll(raw.statuses).toEqual([413]);
    expect((await releases.stranger.get('/api/audit/tag')).status).toBe(200);
    await expect.poll(raw.ended).toBe(true);
  });

  it('in chunks without end is refused at the limit of its route, and its connection ends', async () => {
    const { client_id, client_secret } = releases.platform.apiKey!;
    const raw = openRaw(releases.platform.apiUrl);
    const headers = {
      client_id,
      client_secret,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    };
    raw.write(headOf('POST /api/audit/tag', headers));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    for (let count = 0; count < 8; count += 1) raw.write(chunk);
    await expect.poll(raw.statuses).toEqual([413]);
    await expect.poll(raw.ended).toBe(true);
  });

  it('that is packed is not unpacked', async () => {
    const body = gzipSync(JSON.stringify({ name: 'x'.repeat(10_000) }));
    expect((await send('/api/audit/tag', body, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect(
      (await send('/api/audit/tag', '{"name":"plain"}', { 'content-encoding': 'identity' })).status,
    ).toBe(200);
  });

  it.each([
    [`a${'[b]'.repeat(300_000)}`, 413, ''],
    [`a${'[b]'.repeat(30)}`, 422, 'deeper than 8 levels'],
    ['x'.repeat(201), 413, 'longer than 200 characters'],
    ['n[x', 422, ''],
  ])('with the form field %.20s is refused', async (name, status, text) => {
    const { body, headers } = form([[`name="${name}"`, 'v']]);
    const answer = await send(MINT, body, headers);
    // Header lines of a part have a limit of their own, which makes a form of nothing.
    expect([status, 422, 400]).toContain(answer.status);
    expect(answer.text).toContain(text);
    const encoded = await send('/api/audit/tag', `${encodeURIComponent(name)}=v`, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([413, 422]).toContain(encoded.status);
  });

  it.each([
    ['fields', 2001, 'not have more than'],
    ['repeated fields', 2001, 'not have more than'],
  ])('with too many %s is refused', async (kind, count, text) => {
    const name = (at: number) => (kind === 'fields' ? `f${String(at)}` : 'x[]');
    const fields = Array.from({ length: count }, (_, at) => [`name="${name(at)}"`, ''] as const);
    const { body, headers } = form(fields);
    expect((await send(MINT, body, headers)).text).toContain(text);
    const pairs = fields.map((_, at) => `${name(at)}=`).join('&');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send('/api/audit/tag', pairs, type);
    expect([answer.status, answer.text.includes(text)]).toEqual([422, true]);
  });

  it('with a field, or a file without a name, that is too large names it and its limit', async () => {
    for (const head of ['name="description"', 'name="attributes"\r\ncontent-type: application/json']) {
      const { body, headers } = form([[head, 'x'.repeat(300_000)]]);
      const answer = await send(MINT, body, headers);
      expect(answer.status).toBe(413);
      expect(answer.text).toMatch(/The (description|attributes) must not be greater than 262144 bytes/);
    }
  });

  it('with attributes that nest without end is refused for them', async () => {
    const { body, headers } = form([['name="attributes"', '['.repeat(60_000)]]);
    const answer = await send(MINT, body, headers);
    expect([answer.status, answer.text.includes('"attributes":')]).toEqual([422, true]);
  });

  it('keeps the order of the parts of a form, whatever they are', async () => {
    const { body, headers } = form([
      ['name="name"\r\ncontent-type: application/json', 'first'],
      ['name="name"', 'second'],
    ]);
    const answer = await send('/api/audit/tag', body, headers);
    expect([answer.status, answer.text.includes('"name":"second"')]).toEqual([200, true]);
  });

  it('cannot make lists of an endpoint longer than they may be', async () => {
    const ids = Array.from({ length: 101 }, (_, at) => at + 1);
    const answer = await releases.api.post('/api/audit/audit', { tag_id: ids });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('The tag id field must not have more than 100 items.');
    const many = await send(
      '/api/audit/audit',
      JSON.stringify({ tag_id: Array.from({ length: 90_000 }, () => 'x') }),
    );
    expect(many.text.length).toBeLessThan(5000);
  });

  it('with a query of too many parameters is refused', async () => {
    const query = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`p${String(at)}`, '1']));
    expect((await releases.api.get('/api/audit/tag', query)).status).toBe(422);
    expect(listAt((await releases.api.get('/api/audit/tag', { p: '1' })).body, 'result')).toBeDefined();
  });
});
