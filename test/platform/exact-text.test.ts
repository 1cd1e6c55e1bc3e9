import * as fc from 'fast-check';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { attributesOf } from '../../src/platform/handlers/certificates/document.js';
import { at, listAt, textAt, wrongFields, type Answer } from './client.js';
import { openReleases, type Releases } from './releases.js';

let releases: Releases;
let contract: string;
beforeAll(async () => {
  releases = await openReleases();
  const callback_url = releases.receiver.url();
  await releases.api.post('/api/audit/contracts', {
    name: 'exact',
    field: { encrypt_data: false },
    callback_url,
  });
  contract = textAt(await releases.receiver.received(callback_url), 'contract_address');
});
afterAll(() => releases.close());

/** Posts a body as it stands. */
async function send(path: string, body: string | Buffer, type = 'application/json'): Promise<Answer> {
  const { client_id, client_secret } = releases.platform.apiKey!;
  const answer = await request(`${releases.platform.apiUrl}${path}`, {
    method: 'POST',
    headers: { client_id, client_secret, 'content-type': type },
    body,
    reset: true,
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Json };
}

/** Writes a record whose metadata is this JSON text. */
const write = (metadata: string): Promise<Answer> =>
  send(
    '/api/audit/audit',
    `{"wallet_address":"${releases.platform.wallets[0] ?? ''}","contract_address":"${contract}","metadata":${metadata}}`,
  );

/** All metadata that reads show, by transaction hash. */
async function shown(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { body } = await releases.api.get('/api/audit/get-audit-transaction', {
      wallet_address: releases.platform.wallets[0] ?? '',
      contract_address: contract,
      filter: 'from',
      page: String(page),
    });
    const items = listAt(body, 'result');
    for (const item of items) found.set(textAt(item, 'transactionHash'), textAt(item, 'metadata'));
    if (items.length === 0 || Number(at(body, 'pagination.last_page') ?? 1) <= page) return found;
  }
}

const TEXTS = [
  '{"n":12345678901234567890,"x":1.0,"y":1e400}',
  '{"b":1,"a":2,"10":0,"9":0,"__proto__":{"x":1},"constructor":{"prototype":1}}',
  '{"a":1,"a":2}',
  ' leading and trailing \t',
  'line\r\nline\nline\r',
  'Amélie', // composed
  'Ame\u0301lie', // decomposed
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \ufeff\ufffd\u2028',
  '007',
  'null',
  '"',
  '{Token_ADDRESS} <Token_ADDRESS> {{vars.x}} %s \\u0000',
  'x'.repeat(65_535),
];

describe('the metadata of a record', { timeout: 120_000 }, () => {
  it('is the text that was sent, whatever text it is', async () => {
    const any = fc.sample(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), 40);
    const json = fc.sample(fc.json(), 20);
    const sent = [...TEXTS, ...any, ...json].filter((text) => text !== '' && !/[\0\p{Cs}]/u.test(text));
    const answers = await Promise.all(sent.map((text) => write(JSON.stringify(text))));
    const kept = await shown();
    for (const [index, text] of sent.entries()) {
      expect(answers[index]?.status).toBe(200);
      expect(textAt(answers[index]!.body, 'result.metadata')).toBe(text);
      expect(kept.get(textAt(answers[index]!.body, 'result.transactionHash'))).toBe(text);
    }
  });

  it('is kept as it is written when it is JSON, or refused', async () => {
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('1', '1.0', '12345678901234567890', '-0', 'true', '"é"', '1e3', '0.1', '[]', '{}'),
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(fc.constantFrom('a', 'b', '2', '1'), tie('value')), { minLength: 1, maxLength: 3 })
          .map((members) => `{${members.map(([key, item]) => `"${key}":${item}`).join(',')}}`),
      ),
    }));
    const sent = fc.sample(value, 80).filter((text) => !text.startsWith('"'));
    const answers = await Promise.all(sent.map(write));
    for (const [index, text] of sent.entries()) {
      const answer = answers[index]!;
      if (answer.status === 200) expect(textAt(answer.body, 'result.metadata')).toBe(text);
      else expect(wrongFields(answer).every((field) => field.startsWith('metadata'))).toBe(true);
    }
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 422]));
  });

  it.each([
    ['{"total":12345678901234567890}', 'metadata.total'],
    ['[9007199254740993]', 'metadata.0'],
    ['1e400', 'metadata'],
    ['{"a":1,"a":2}', 'metadata.a'],
    ['1.0', 'metadata'],
    ['{"b":1,"1":2}', 'metadata'],
  ])('is refused as %s, with the field', async (text, field) => {
    expect(wrongFields(await write(text))).toEqual([field]);
  });

  it('is refused in bytes that are no text', async () => {
    const body = Buffer.concat([Buffer.from('{"metadata":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect((await send('/api/audit/audit', body)).status).toBe(400);
    const form = `wallet_address=${releases.platform.wallets[0] ?? ''}&contract_address=${contract}&metadata=%ff`;
    expect((await send('/api/audit/audit', form, 'application/x-www-form-urlencoded')).status).toBe(400);
  });
});

describe('the attributes of a certificate', () => {
  it.each(['[{"trait":"No.","value":12345678901234567890}]', '[{"a":1,"a":2}]', '[1.0]', '{}', '[', 'null'])(
    'are refused as %s',
    (text) => {
      expect(attributesOf(text)).toBeUndefined();
    },
  );

  it('are taken as text that comes out again', () => {
    const text = '[{"trait":"Straße","value":"007 \\ud800 12345678901234567890"},{"n":1}]';
    expect(JSON.stringify(attributesOf(text))).toBe(text);
  });
});

describe('a number of any body that would become another one', () => {
  it('is refused with its place', async () => {
    const answer = await send('/api/audit/tag', '{"name":"a","extra":[1,{"id":9007199254740993}]}');
    expect(wrongFields(answer)).toEqual(['extra.1.id']);
  });
});
