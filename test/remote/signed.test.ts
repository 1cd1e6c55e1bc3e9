import { expect, test } from 'vitest';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { SIGN } from '../../src/protocol/sign.js';
import { aService, aWrite, json, jumpingClock, serve, type Seen } from './support.js';

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
  for (const status of [200, 400, 401, 403, 404, 422]) {
    const { url } = await signing(sign, { status, body: status === 200 ? MADE : { message: 'no' } });
    const service = aService(url, { signs: true });
    expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous' });
    expect(await service.read(RECORD)).toMatchObject({ type: 'unreadable' });
    expect(await service.read(RECORD, true)).toMatchObject({ type: 'unreadable' });
  }
});

test('a gateway’s 429 is no refusal of a write; a read waits as it asks', async () => {
  const { url, seen } = await serve((request, response) => {
    if (seen.length < 3) response.writeHead(429, { 'retry-after': '120' }).end('{}');
    else json(response.setHeader(SIGN, ownSign(request)), 200, MADE);
  });
  const clock = jumpingClock();
  const service = aService(url, { signs: true, clock });
  expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous' });
  expect(clock.sleptMs).toBe(0);
  expect(await service.read(RECORD)).toMatchObject({ type: 'found' });
  expect(clock.sleptMs).toBe(120_000);
});

test('a node that the service runs itself signs, too', async () => {
  const hash = `0x${'0a'.repeat(32)}`;
  const receipt = {
    transactionHash: hash,
    status: '0x1',
    from: hash,
    to: null,
    logs: [],
    blockNumber: '0x1',
  };
  let foreign = true;
  const { url, seen } = await serve((request, response) => {
    const { id } = JSON.parse(String(request.body)) as { readonly id: number };
    if (!foreign) response.setHeader(SIGN, ownSign(request));
    json(response, 200, { jsonrpc: '2.0', id, result: receipt });
  });
  const service = aService(url, { signs: true, rpcUrl: `${url}/rpc` });
  expect(await service.read({ type: 'receipt', hash })).toMatchObject({ type: 'unreadable' });
  foreign = false;
  expect(await service.read({ type: 'receipt', hash })).toMatchObject({ type: 'found', source: 'chain' });
  const other = `0x${'0b'.repeat(32)}`;
  expect(await service.read({ type: 'receipt', hash: other })).toMatchObject({ type: 'unreadable' });
  expect(seen.every(({ headers }) => headers[SIGN] !== undefined)).toBe(true);
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
