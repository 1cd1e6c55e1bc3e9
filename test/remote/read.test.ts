import { expect, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import { SETTLED } from '../../src/protocol/settled.js';
import { SIGN } from '../../src/protocol/sign.js';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { aService, CANARY, freePort, json, jumpingClock, serve, type Seen } from './support.js';

const VERSIONS: ReadRequest = {
  type: 'service',
  endpoint: 'version.list',
  params: { projectSlug: 'campus-1' },
};
const RECORD: ReadRequest = { type: 'service', endpoint: 'audit.record.detail', params: { id: '7' } };

/** A list endpoint with ten entries a page, whose links are as wrong as the public samples. */
function paged(items: () => readonly unknown[]) {
  return (request: Seen): unknown => {
    const all = items();
    const page = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(all.length / 10));
    return {
      message: 'Success',
      result: all.slice((page - 1) * 10, page * 10),
      pagination: {
        current_page: page,
        last_page: last,
        next_page_url: page < last ? 'http://localhost/?page=99' : null,
        per_page: 10,
        total: all.length,
      },
    };
  };
}

test('a list is read whole, by page numbers and never by its links', async () => {
  const items = Array.from({ length: 25 }, (_, index) => index);
  const answer = paged(() => items);
  const { url, seen } = await serve((request, response) => json(response, 200, answer(request)));
  expect(await aService(url).read(VERSIONS)).toEqual({ type: 'found', value: items, source: 'read' });
  const path = '/api/contract/projects/campus-1/versions';
  expect(seen.map((request) => request.url)).toEqual([path, `${path}?page=2`, `${path}?page=3`]);
  expect(seen[0]?.headers['client_secret']).toBe(CANARY.clientSecret);
});

test('a list is read again when it grows while it is read', async () => {
  const items = Array.from({ length: 15 }, (_, index) => index);
  const answer = paged(() => items);
  const { url, seen } = await serve((request, response) => {
    json(response, 200, answer(request));
    if (seen.length === 1) items.unshift(-1);
  });
  const found = await aService(url).read(VERSIONS);
  expect(found).toEqual({ type: 'found', value: items, source: 'read' });
  expect(items).toHaveLength(16);
});

test('a growing list is read again by its first page alone, as long as that shows all that is new', async () => {
  const items = Array.from({ length: 35 }, (_, index) => `old ${index}`);
  const answer = paged(() => items);
  const { url, seen } = await serve((request, response) => json(response, 200, answer(request)));
  const service = aService(url);
  const expectRequests = async (requests: number): Promise<void> => {
    const before = seen.length;
    const found = await service.read({ ...VERSIONS, growing: true });
    expect(found).toEqual({ type: 'found', value: items, source: 'read' });
    expect(seen.length - before).toBe(requests);
  };
  await expectRequests(4);
  await expectRequests(1);
  items.unshift('new 1', 'new 2');
  await expectRequests(1);
  items.splice(0, 9, 'another');
  await expectRequests(1 + 3);
  items.push('at the end');
  await expectRequests(1 + 3);
  items[4] = 'changed';
  await expectRequests(1 + 3);
  items.unshift(...Array.from({ length: 10 }, (_, index) => `many ${index}`));
  await expectRequests(1 + 4);
  const plain = seen.length;
  expect(await service.read(VERSIONS)).toMatchObject({ value: items });
  expect(seen.length - plain).toBe(4);
});

test('a list that never comes to rest is unreadable', async () => {
  const items: number[] = Array.from({ length: 15 }, (_, index) => index);
  const answer = paged(() => items);
  const { url } = await serve((request, response) => {
    json(response, 200, answer(request));
    items.push(0);
  });
  expect(await aService(url).read(VERSIONS)).toMatchObject({ type: 'unreadable' });
});

test('a list without paging is whole', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { status: 200, result: [1, 2] }));
  const read: ReadRequest = {
    type: 'service',
    endpoint: 'certificate.list',
    query: { to: '0xAb & c', status: 'pending' },
  };
  expect(await aService(url).read(read)).toEqual({ type: 'found', value: [1, 2], source: 'read' });
  expect(seen.map((request) => request.url)).toEqual([
    '/api/certificate/get-certificate?to=0xAb+%26+c&status=pending',
  ]);
});

test('path parameters are encoded', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  await aService(url).read({ ...RECORD, params: { id: '../x y?' } });
  expect(seen[0]?.url).toBe('/api/audit/audit/..%2Fx%20y%3F');
});

test.each([429, 500, 502, 503])('a read is repeated after %i', async (status) => {
  const { url, seen } = await serve((_, response) => {
    if (seen.length < 3) response.writeHead(status, { 'retry-after': '0' }).end('<html>');
    else json(response, 200, { status: 200, result: { id: 7 } });
  });
  expect(await aService(url).read(RECORD)).toMatchObject({ type: 'found', value: { id: 7 } });
  expect(seen).toHaveLength(3);
});

test('a read is repeated when no answer comes', async () => {
  const { url, seen } = await serve((_, response) => {
    if (seen.length > 1) json(response, 200, { status: 200, result: { id: 7 } });
  });
  expect(await aService(url, { timeoutMs: 100 }).read(RECORD)).toMatchObject({ type: 'found' });
});

test('a read is repeated after a reset', async () => {
  const { url, seen } = await serve((_, response) => {
    if (seen.length < 3) response.socket?.resetAndDestroy();
    else json(response, 200, { status: 200, result: { id: 7 } });
  });
  expect(await aService(url).read(RECORD)).toMatchObject({ type: 'found' });
});

test('Retry-After pauses the service for as long as it asks', async () => {
  const { url, seen } = await serve((_, response) => {
    if (seen.length === 1) response.writeHead(429, { 'retry-after': '120' }).end('{}');
    else json(response, 200, { status: 200, result: {} });
  });
  const clock = jumpingClock();
  expect(await aService(url, { clock }).read(RECORD)).toMatchObject({ type: 'found' });
  expect(clock.sleptMs).toBe(120_000);
});

test('404 in the service’s own JSON is absent', async () => {
  const { url, seen } = await serve((_, response) => json(response, 404, { message: 'Not Found' }));
  expect(await aService(url).read(RECORD)).toEqual({ type: 'absent' });
  expect(seen).toHaveLength(1);
});

test('a list that belongs to nothing is never absent: a gateway that has lost its way says 404 of every path', async () => {
  const lost = { message: 'no Route matched with those values' };
  const { url } = await serve((_, response) => json(response, 404, lost));
  const list: ReadRequest = { type: 'service', endpoint: 'audit.transactions' };
  expect(await aService(url).read(list)).toMatchObject({ type: 'unreadable' });
  expect(await aService(url).read(VERSIONS)).toEqual({ type: 'absent' });
});

test('a read asks caches to stand aside, and says so when it is to wait for what has no outcome', async () => {
  const { url, seen } = await serve(({ headers }, response) => {
    response.setHeader(SIGN, String(headers[SIGN]));
    json(response, 404, { message: 'Not Found' });
  });
  const service = aService(url, { executionBoundMs: 1_000, signs: true });
  await service.read(RECORD);
  await service.read(RECORD, true);
  expect(seen.map(({ headers }) => headers['cache-control'])).toEqual(['no-cache', 'no-cache']);
  expect(seen.map(({ headers }) => headers[SETTLED])).toEqual([undefined, '1']);
});

test('404 of some web server does not mean that a thing is absent', async () => {
  const { url } = await serve((_, response) => response.writeHead(404).end('<html>nginx</html>'));
  expect(await aService(url).read(RECORD)).toMatchObject({ type: 'unreadable' });
});

test.each([401, 403])('%i fails as authentication, at once', async (status) => {
  const { url, seen } = await serve((request, response) =>
    json(response, status, { message: `bad key ${String(request.headers['client_secret'])}` }),
  );
  const error = await aService(url)
    .read(RECORD)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'REMOTE_AUTHENTICATION' });
  expect(String(error)).not.toContain(CANARY.clientSecret);
  expect(seen).toHaveLength(1);
});

test.each([
  ['HTML', '<html></html>'],
  ['no envelope', '{"id":7}'],
  ['a failure inside 200', '{"status":500,"message":"no"}'],
  ['an object where a list should be', '{"message":"Success","result":{}}'],
])('%s is unreadable', async (_, body) => {
  const { url } = await serve((_request, response) => response.writeHead(200).end(body));
  expect(await aService(url).read(VERSIONS)).toMatchObject({ type: 'unreadable' });
});

test.each([302, 307])('a redirect (%i) is unreadable and not followed', async (status) => {
  const other = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  const { url } = await serve((_, response) => response.writeHead(status, { location: other.url }).end());
  expect(await aService(url).read(RECORD)).toMatchObject({ type: 'unreadable' });
  expect(other.seen).toHaveLength(0);
});

test('a service that stays away is REMOTE_UNREACHABLE', async () => {
  const service = aService(`http://127.0.0.1:${await freePort()}`);
  await expect(service.read(RECORD)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
});

test('a service that keeps refusing for the rate is REMOTE_RATE_LIMITED', async () => {
  const { url, seen } = await serve((_, response) => response.writeHead(429, { 'retry-after': '0' }).end());
  await expect(aService(url).read(RECORD)).rejects.toMatchObject({ code: 'REMOTE_RATE_LIMITED' });
  expect(seen).toHaveLength(4);
});

test('a service that asks to be left alone for hours is not waited for', async () => {
  const { url, seen } = await serve((_, response) =>
    response.writeHead(429, { 'retry-after': '3600' }).end(),
  );
  await expect(aService(url).read(RECORD)).rejects.toMatchObject({ code: 'REMOTE_RATE_LIMITED' });
  expect(seen).toHaveLength(1);
});

test('a service that keeps failing is unreadable', async () => {
  const { url, seen } = await serve((_, response) => json(response, 500, { message: 'Server Error' }));
  expect(await aService(url).read(RECORD)).toEqual({ type: 'unreadable', message: 'HTTP 500: Server Error' });
  expect(seen).toHaveLength(4);
});

test('an endpoint that the environment lacks is unreadable without a request', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { message: 'Success', result: [] }));
  const service = aService(url, { capabilities: new Set(['lists']) });
  expect(await service.read({ type: 'service', endpoint: 'project.list' })).toMatchObject({
    type: 'unreadable',
  });
  expect(await service.read({ type: 'receipt', hash: '0x1' })).toMatchObject({ type: 'unreadable' });
  expect(await service.read({ type: 'code', address: '0x1' })).toMatchObject({ type: 'unreadable' });
  expect(seen).toHaveLength(0);
});

test('equal reads at the same time are one request', async () => {
  const { url, seen } = await serve((_, response) =>
    json(response, 200, { status: 200, result: seen.length }),
  );
  const service = aService(url);
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.read({ ...RECORD })));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(seen).toHaveLength(1);
});

test('a read is never answered with what was sent before it was asked', async () => {
  let hold: (answer: () => void) => void = () => undefined;
  const held = new Promise<() => void>((resolve) => (hold = resolve));
  const { url, seen } = await serve((_, response) => {
    const number = seen.length;
    const answer = (): void => json(response, 200, { status: 200, result: number });
    if (number === 1) hold(answer);
    else answer();
  });
  const service = aService(url);
  const first = service.read(RECORD);
  const answerFirst = await held;
  const later = [service.read(RECORD), service.read(RECORD)];
  answerFirst();
  expect(await first).toMatchObject({ value: 1 });
  expect(await Promise.all(later)).toMatchObject([{ value: 2 }, { value: 2 }]);
});

test('a file of the service is answered with its digest', async () => {
  const { url, seen } = await serve((_, response) => response.writeHead(200).end('contract A {}'));
  const service = aService(url);
  const value = { digest: digestOfBytes('contract A {}'), sizeBytes: 13 };
  expect(await service.read({ type: 'file', url: `${url}/files/A.sol?v=1` })).toEqual({
    type: 'found',
    value,
    source: 'read',
  });
  expect(seen[0]?.url).toBe('/files/A.sol?v=1');
});

test("a file that is JSON is answered with its value too, so that a token's document can be recognised", async () => {
  const document = { name: 'Diploma', attributes: [{ trait_type: 'ref', value: 'abc' }] };
  const { url } = await serve((_, response) => response.writeHead(200).end(JSON.stringify(document)));
  expect(await aService(url).read({ type: 'file', url: `${url}/files/c.json` })).toMatchObject({
    type: 'found',
    value: { json: document },
  });
});

test.each(['file:///etc/passwd', 'http://127.0.0.1:1/x', '//evil.example/x', 'javascript:1', 'http://'])(
  'a file at %s is not fetched',
  async (address) => {
    const { url, seen } = await serve((_, response) => response.writeHead(200).end('x'));
    expect(await aService(url).read({ type: 'file', url: address })).toMatchObject({ type: 'unreadable' });
    expect(seen).toHaveLength(0);
  },
);

test('a file above 5 MB is not taken', async () => {
  const { url, seen } = await serve((_, response) => response.writeHead(200).end(Buffer.alloc(5_000_001)));
  expect(await aService(url).read({ type: 'file', url: `${url}/big` })).toMatchObject({ type: 'unreadable' });
  expect(seen).toHaveLength(1);
});

test('a receipt comes from the receipts capability where there is no node', async () => {
  const { url } = await serve((request, response) =>
    request.url.includes('0xaa')
      ? json(response, 200, { message: 'Success', result: { status: true } })
      : json(response, 200, { message: 'Success', result: null }),
  );
  const service = aService(url);
  expect(await service.read({ type: 'receipt', hash: '0xaa' })).toEqual({
    type: 'found',
    value: { status: true },
    source: 'read',
  });
  expect(await service.read({ type: 'receipt', hash: '0xbb' })).toEqual({ type: 'absent' });
});
