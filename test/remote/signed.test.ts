import { expect, test } from 'vitest';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { SIGN } from '../../src/protocol/sign.js';
import { aService, aWrite, json, serve, type Seen } from './support.js';

const RECORD: ReadRequest = { type: 'service', endpoint: 'audit.record.detail', params: { id: '7' } };
const CALLBACK = 'https://hooks.example.com/cb/the-callback-token';
const MADE = { status: 200, result: { transactionHash: '0x1' } };

/** Bears the signs that `sign` gives to the requests. */
async function signing(
  sign: (request: Seen) => string | undefined,
  answer: { readonly status: number; readonly body: unknown },
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  return serve((request, response) => {
    const borne = sign(request);
    if (borne !== undefined) response.setHeader(SIGN, borne);
    json(response, answer.status, answer.body);
  });
}

function ownSign({ headers }: Seen): string {
  return String(headers[SIGN]);
}

test('an answer that bears the sign of its request counts, and each request has a sign of its own', async () => {
  const { url, seen } = await signing(ownSign, { status: 200, body: MADE });
  const service = aService(url, { signs: true });
  expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'accepted', result: MADE.result });
  expect(await service.read(RECORD)).toMatchObject({ type: 'found' });
  expect(await service.read(RECORD, true)).toMatchObject({ type: 'found' });
  expect(new Set(seen.map(ownSign)).size).toBe(3);
});

test.each([
  ['no sign', () => undefined],
  ['the sign of another request', () => 'another'],
])('an answer with %s proves neither an effect nor that there is none', async (_, sign) => {
  for (const status of [200, 400, 401, 403, 404, 422, 429]) {
    const { url } = await signing(sign, { status, body: status === 200 ? MADE : { message: 'no' } });
    const service = aService(url, { signs: true });
    expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous' });
    expect(await service.read(RECORD)).toMatchObject({ type: 'unreadable' });
    expect(await service.read(RECORD, true)).toMatchObject({ type: 'unreadable' });
  }
});

test('a read that something else answered is asked again', async () => {
  let foreign = 1;
  const sign = (request: Seen): string | undefined => ((foreign -= 1) >= 0 ? undefined : ownSign(request));
  const { url, seen } = await signing(sign, { status: 404, body: { message: 'Not Found' } });
  expect(await aService(url, { signs: true }).read(RECORD, true)).toEqual({ type: 'absent' });
  expect(seen).toHaveLength(2);
});

test('a service that promises no signs is asked for none', async () => {
  const { url, seen } = await signing(() => undefined, { status: 200, body: MADE });
  const service = aService(url);
  expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'accepted' });
  expect(await service.read(RECORD, true)).toMatchObject({ type: 'found' });
  expect(seen.map(({ headers }) => headers[SIGN])).toEqual([undefined, undefined]);
});
