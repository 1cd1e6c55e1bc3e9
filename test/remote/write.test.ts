import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WindlassError } from '../../src/model/error.js';
import { EXECUTE_BEFORE } from '../../src/protocol/deadline.js';
import { aService, aWrite, CANARY, freePort, json, realClock, serve, serveRaw } from './support.js';

const CALLBACK = 'http://127.0.0.1:9/cb/the-callback-token-of-this-attempt-0123456789';

/** Answers raw bytes once the whole request is there. */
function rawAnswer(bytes: string, then: (socket: Socket) => void = (socket) => socket.end()) {
  return (socket: Socket): void => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.includes('{"metadata"')) return;
      socket.write(bytes, () => then(socket));
    });
  };
}

const SUCCESS = JSON.stringify({ status: 200, result: { transactionHash: '0x1' } });

test('a success envelope with 2xx is accepted with its result', async () => {
  const { url, seen } = await serve((_, response) => json(response, 201, { status: 200, result: { id: 7 } }));
  const answer = await aService(url).write(aWrite(), CALLBACK);
  expect(answer).toEqual({ outcome: 'accepted', status: 201, result: { id: 7 } });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/audit/audit' });
  expect(JSON.parse(String(seen[0]?.body))).toEqual({ metadata: '{"a":1}', callback_url: CALLBACK });
  expect(seen[0]?.headers).toMatchObject({
    client_id: CANARY.clientId,
    client_secret: CANARY.clientSecret,
    'content-type': 'application/json',
    'content-length': String(seen[0]?.body.length),
  });
  expect(seen[0]?.headers['transfer-encoding']).toBeUndefined();
});

test('a path of the base URL stands before every endpoint', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  await aService(`${url}/prefix/`).write(aWrite(), CALLBACK);
  expect(seen[0]?.url).toBe('/prefix/api/audit/audit');
});

test('no callback_url is sent when there is none, or where the service takes none', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  const service = aService(url);
  await service.write(aWrite(), undefined);
  await service.write(aWrite({ takesCallback: false }), CALLBACK);
  for (const request of seen) expect(JSON.parse(String(request.body))).toEqual({ metadata: '{"a":1}' });
  expect(seen).toHaveLength(2);
});

test('a refused connection is not_sent', async () => {
  const answer = await aService(`http://127.0.0.1:${await freePort()}`).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
  expect(answer.message).toBe('nothing listens there (connection refused)');
});

test('a name that does not resolve is not_sent', async () => {
  const answer = await aService('https://no-such-host.invalid').write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
});

test('a failed TLS handshake is not_sent', async () => {
  const { url } = await serveRaw((socket) => {
    socket.end('this is no TLS');
  });
  const answer = await aService(url.replace('http:', 'https:')).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
});

test('a changed file is not_sent and reaches no server', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, {}));
  const service = aService(url, {
    files: async () => {
      throw new WindlassError('FILE_CHANGED', 'a.png changed.');
    },
  });
  const file = { path: 'a.png', digest: 'sha256:0', sizeBytes: 1 } as const;
  const files = [{ field: 'file', filename: 'a.png', file }];
  const answer = await service.write(aWrite({ endpoint: 'certificate.mint', files }), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
  expect(answer.message).toContain('a.png changed.');
  expect(seen).toHaveLength(0);
});

test('a placeholder that is still open is never sent', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, {}));
  const body = { to: { $placeholder: [{ ref: 'contract.core.Token' }] } };
  const answer = await aService(url).write(aWrite({ body }), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
  expect(seen).toHaveLength(0);
});

test.each([
  ['at once', 'throws'],
  ['later', 'rejects'],
])('credentials that were missing are asked for again, whether that was told %s', async (_, how) => {
  const { url, seen } = await serve((_request, response) => json(response, 200, { status: 200, result: {} }));
  let asked = 0;
  const missing = new WindlassError('SECRET_MISSING', 'The secret is not there yet.');
  const service = aService(url, {
    credentials: () => {
      asked += 1;
      if (asked > 1) return Promise.resolve(CANARY);
      if (how === 'throws') throw missing;
      return Promise.reject(missing);
    },
  });
  expect((await service.write(aWrite(), CALLBACK)).outcome).toBe('not_sent');
  expect((await service.write(aWrite(), CALLBACK)).outcome).toBe('accepted');
  expect([asked, seen.length]).toEqual([2, 1]);
});

test('missing credentials are not_sent', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, {}));
  const credentials = async (): Promise<never> => {
    throw new WindlassError('SECRET_MISSING', 'WINDLASS_VAR_TEST_CLIENT_ID is not set.');
  };
  const answer = await aService(url, { credentials }).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('not_sent');
  expect(seen).toHaveLength(0);
});

test.each([400, 401, 403, 404, 405, 411, 413, 414, 415, 422])(
  'a whole %i without a success envelope is rejected',
  async (status) => {
    const { url } = await serve((_, response) => json(response, status, { message: 'The name is taken.' }));
    expect(await aService(url).write(aWrite(), CALLBACK)).toEqual({
      outcome: 'rejected',
      status,
      message: 'The name is taken.',
    });
  },
);

test('a refusal names the members of the request that it is about', async () => {
  const errors = { wallet_address: ['must be the owner of the contract.'], to: ['is required.'] };
  for (const body of [
    { message: 'no', errors },
    { status: 422, result: { message: 'no', errors } },
  ]) {
    const { url } = await serve((_, response) => json(response, 422, body));
    expect(await aService(url).write(aWrite(), CALLBACK)).toMatchObject({
      outcome: 'rejected',
      fields: ['wallet_address', 'to'],
    });
  }
});

test('a refusal with a success envelope is ambiguous', async () => {
  const { url } = await serve((_, response) =>
    json(response, 422, { message: 'Success', result: { id: 1 } }),
  );
  expect(await aService(url).write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous', status: 422 });
});

test.each([
  ['seconds', '17', 17_000],
  ['a date', new Date(1_700_000_060_000).toUTCString(), 60_000],
  ['nothing readable', 'soon', undefined],
])('429 is rejected and Retry-After is read as %s', async (_, header, expected) => {
  const { url } = await serve((_request, response) => {
    response.writeHead(429, { 'retry-after': header }).end('{"message":"Too many requests"}');
  });
  const clock = { ...realClock, nowMs: () => 1_700_000_000_000 };
  const answer = await aService(url, { clock }).write(aWrite(), CALLBACK);
  expect(answer).toMatchObject({ outcome: 'rejected', status: 429 });
  expect(answer.retryAfterMs).toBe(expected);
});

test.each([408, 409, 410, 425, 499, 500, 502, 503, 504, 301, 302, 307, 308])(
  '%i is ambiguous, sent once and not followed',
  async (status) => {
    const other = await serve((_, response) => json(response, 200, { status: 200, result: { id: 1 } }));
    const { url, seen } = await serve((_, response) => {
      response.writeHead(status, { location: `${other.url}/api/audit/audit` }).end('{"message":"no"}');
    });
    expect(await aService(url).write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous', status });
    expect(seen).toHaveLength(1);
    expect(other.seen).toHaveLength(0);
  },
);

test.each([
  ['an HTML page', '<html>maintenance</html>'],
  ['cut JSON', '{"status":200,"result":{"id"'],
  ['nothing', ''],
  ['JSON that is no envelope', '[1]'],
  ['an envelope without a result', '{"message":"Success"}'],
  ['a failure inside 200', '{"status":422,"result":{"message":"no"}}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])('%s with status 200 is ambiguous', async (_, body) => {
  const { url } = await serve((_request, response) => response.writeHead(200).end(body));
  expect(await aService(url).write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'ambiguous', status: 200 });
});

test('a connection reset after the request was read is ambiguous', async () => {
  const { url } = await serveRaw((socket) => {
    socket.once('data', () => socket.resetAndDestroy());
  });
  const answer = await aService(url).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('ambiguous');
  expect(answer.status).toBeUndefined();
});

test('a connection closed at once, when bytes may be under way, is not called not_sent', async () => {
  const { url } = await serveRaw((socket) => {
    socket.destroy();
  });
  const answer = await aService(url).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('ambiguous');
});

test.each([
  ['body', `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${SUCCESS}`],
  ['refusal', 'HTTP/1.1 422 X\r\ncontent-length: 1000\r\n\r\n{"message":"no"}'],
  [
    'chunk',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${SUCCESS.length.toString(16)}\r\n${SUCCESS}\r\n`,
  ],
  ['header', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ['protocol', 'not HTTP at all\r\n\r\n'],
])('a cut %s is ambiguous', async (_, bytes) => {
  const { url } = await serveRaw(rawAnswer(bytes));
  expect((await aService(url).write(aWrite(), CALLBACK)).outcome).toBe('ambiguous');
});

test('an interim response is not the answer', async () => {
  const final = `HTTP/1.1 200 OK\r\ncontent-length: ${SUCCESS.length}\r\n\r\n${SUCCESS}`;
  const { url } = await serveRaw(rawAnswer(`HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${final}`));
  expect(await aService(url).write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'accepted', status: 200 });
});

test('a kept connection that the server closed in between is not used for the next write', async () => {
  let connections = 0;
  const { url } = await serveRaw((socket) => {
    connections += 1;
    const body = `HTTP/1.1 200 OK\r\ncontent-length: ${SUCCESS.length}\r\n\r\n${SUCCESS}`;
    rawAnswer(body, () => socket.end())(socket);
  });
  const service = aService(url);
  const outcomes: string[] = [];
  for (let index = 0; index < 50; index += 1) {
    outcomes.push((await service.write(aWrite(), CALLBACK)).outcome);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(new Set(outcomes)).toEqual(new Set(['accepted']));
  expect(connections).toBe(50);
});

test('writes on loopback share kept connections', async () => {
  const { url, server } = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const service = aService(url);
  for (let index = 0; index < 10; index += 1) await service.write(aWrite(), CALLBACK);
  expect(connections).toBeLessThanOrEqual(2);
});

test('another machine is not reached in the clear, unless the operator allows its host', () => {
  const open = (httpHosts: ReadonlySet<string>) =>
    aService('http://10.255.0.1', { permissions: { httpHosts } });
  expect(() => open(new Set(['10.255.0.2']))).toThrow(
    expect.objectContaining({ code: 'PLAN_URL_FORBIDDEN' }) as Error,
  );
  expect(() => open(new Set(['10.255.0.1']))).not.toThrow();
});

test('away from loopback every write has a connection of its own, and reads share theirs', async () => {
  const { url, server, seen } = await serve((_, response) =>
    json(response, 200, { status: 200, result: {} }),
  );
  let connections = 0;
  server.on('connection', () => (connections += 1));
  // Not a name of loopback, though it leads there.
  const service = aService(url.replace('127.0.0.1', '0.0.0.0'), {
    permissions: { httpHosts: new Set(['0.0.0.0']) },
  });
  for (let index = 0; index < 5; index += 1) await service.write(aWrite(), CALLBACK);
  expect(connections).toBe(5);
  expect(seen.map(({ headers }) => headers.connection)).toEqual(Array.from({ length: 5 }, () => 'close'));
  for (const id of ['1', '2', '3', '4', '5']) {
    await service.read({ type: 'service', endpoint: 'audit.record.detail', params: { id } });
  }
  expect(connections).toBeLessThan(10);
});

test('a service that never answers is ambiguous when the time is over', async () => {
  const { url, seen } = await serve(() => undefined);
  const answer = await aService(url, { timeoutMs: 100 }).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('ambiguous');
  expect(answer.status).toBeUndefined();
  expect(seen).toHaveLength(1);
});

test('a service that drips its answer does not prolong the time', async () => {
  const { url } = await serve((_, response) => {
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  const answer = await aService(url, { timeoutMs: 150 }).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('ambiguous');
});

test('an answer without end is cut and ambiguous', async () => {
  const { url } = await serve((_, response) => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    const pour = (): void => void (response.destroyed || response.write(chunk, pour));
    pour();
  });
  expect((await aService(url).write(aWrite(), CALLBACK)).outcome).toBe('ambiguous');
});

test('secrets and personal values are sent, and masked in what comes back', async () => {
  const { url, seen } = await serve((request, response) => {
    const secret = String(request.headers['client_secret']);
    const echo = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`x${secret}`).toString('base64'),
      JSON.stringify(secret),
      String(request.body),
    ];
    json(response, 422, { message: `\u001b[31m${echo.join(' ')}` });
  });
  const service = aService(url, { secrets: async () => 'ALICE@example.com' });
  const body = {
    email: { $secret: { env: 'WINDLASS_VAR_ALICE_EMAIL' } },
    ic: { $personal: '900101-14-5678' },
  };
  const answer = await service.write(aWrite({ endpoint: 'wallet.create-user', body }), CALLBACK);
  expect(JSON.parse(String(seen[0]?.body))).toMatchObject({
    email: 'ALICE@example.com',
    ic: '900101-14-5678',
  });
  expect(answer.outcome).toBe('rejected');
  for (const canary of [
    CANARY.clientSecret,
    CANARY.clientId,
    'ALICE',
    '900101',
    '\u001b',
    'the-callback-token',
  ]) {
    expect(answer.message).not.toContain(canary);
  }
  expect(answer.message).toContain('\\u{1b}');
});

test('a message is at most 500 characters', async () => {
  const { url } = await serve((_, response) => json(response, 400, { message: 'x'.repeat(10_000) }));
  expect((await aService(url).write(aWrite(), CALLBACK)).message).toHaveLength(500);
});

test('nothing is printed by an attempt that goes wrong', async () => {
  const written: string[] = [];
  const original = process.stderr.write.bind(process.stderr);
  process.stderr.write = (chunk: string | Uint8Array): boolean => written.push(String(chunk)) > 0;
  onTestFinished(() => void (process.stderr.write = original));
  const { url } = await serveRaw((socket) => void socket.once('data', () => socket.resetAndDestroy()));
  const answer = await aService(url).write(aWrite(), CALLBACK);
  expect(answer.outcome).toBe('ambiguous');
  expect(written.join('')).toBe('');
});

test('a write names the time until which it may begin where the service keeps to one, and nothing elsewhere', async () => {
  const { url, seen } = await serve((_, response) => json(response, 200, { status: 200, result: {} }));
  const before = Date.now();
  await aService(url, { executionBoundMs: 15_000 }).write(aWrite(), CALLBACK);
  await aService(url).write(aWrite(), CALLBACK);
  const [bound, unbound] = seen.map(({ headers }) => headers[EXECUTE_BEFORE]);
  expect(Number(bound)).toBeGreaterThanOrEqual(before + 15_000);
  expect(Number(bound)).toBeLessThanOrEqual(Date.now() + 15_000);
  expect(unbound).toBeUndefined();
});

test('a write that waits because the service wants to be left alone is not sent once the run is stopped', async () => {
  const { url, seen } = await serve((_, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end('{}');
  });
  const service = aService(url);
  const stop = new AbortController();
  expect(await service.write(aWrite(), CALLBACK)).toMatchObject({ outcome: 'rejected', status: 429 });
  const waiting = service.write(aWrite(), CALLBACK, undefined, stop.signal);
  stop.abort();
  expect(await waiting).toMatchObject({ outcome: 'not_sent' });
  expect(seen).toHaveLength(1);
});
