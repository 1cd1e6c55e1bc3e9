import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import { openInbox, type InboxOptions, type OpenInbox, type TokenStore } from '../../src/remote/inbox.js';
import { freePort, realClock, serve, json } from './support.js';

const STEP = 'certificate.batch[S-1]#1' as StepId;
const OTHER = 'certificate.batch[S-2]#1' as StepId;

/** Tokens in memory: a store in the sense of the port. */
function memoryTokens(): TokenStore & { readonly steps: Map<string, StepId> } {
  const steps = new Map<string, StepId>();
  return {
    steps,
    issue: async (step) => {
      const token = randomBytes(32).toString('base64url');
      steps.set(token, step);
      return { token, digest: `sha256:${createHash('sha256').update(token).digest('hex')}` };
    },
    lookup: (token) => ({ step: steps.get(token) }),
  };
}

async function anInbox(options: Partial<InboxOptions> = {}): Promise<OpenInbox> {
  const inbox = await openInbox({
    callbacks: {},
    tokens: memoryTokens(),
    clock: realClock,
    anyPort: true,
    holdMs: 50,
    ...options,
  });
  onTestFinished(() => inbox.close());
  return inbox;
}

/** An inbox whose receiver keeps what came, and an address for one attempt. */
async function aListening(options: Partial<InboxOptions> = {}) {
  const inbox = await anInbox(options);
  const received: { step: StepId; body: Json }[] = [];
  inbox.receive(async (step, body) => void received.push({ step, body }));
  const { url } = await inbox.open(STEP);
  return { inbox, received, url: url! };
}

async function post(url: string, body: string | Uint8Array, method = 'POST'): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    request.on('error', reject).end(body);
  });
}

/** Sends raw text and gives all that comes until the connection closes. */
function rawExchange(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
  });
}

test('a callback is handed over with its step and acknowledged', async () => {
  const { received, url } = await aListening();
  expect(await post(url, '{"status":"success","nonce":1}')).toEqual([200, '{}']);
  expect(received).toEqual([{ step: STEP, body: { status: 'success', nonce: 1 } }]);
});

test('the address has the attempt’s token in its path, and the journal gets the digest only', async () => {
  const inbox = await anInbox();
  const { url, token } = await inbox.open(STEP);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/cb\/[A-Za-z0-9_-]{43}$/);
  expect(token).toBe(`sha256:${createHash('sha256').update(url!.split('/').at(-1)!).digest('hex')}`);
});

test('the sender is answered only after the receiver is done', async () => {
  const inbox = await anInbox();
  const order: string[] = [];
  let finish = (): void => undefined;
  const journalled = new Promise<void>((resolve) => (finish = resolve));
  inbox.receive(async () => {
    await journalled;
    order.push('durable');
  });
  const { url } = await inbox.open(STEP);
  const answered = post(url!, '{}').then(() => order.push('answered'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  finish();
  await answered;
  expect(order).toEqual(['durable', 'answered']);
});

test('a callback that comes before the receiver is handed over when there is one', async () => {
  const inbox = await anInbox({ holdMs: 10_000 });
  const { url } = await inbox.open(STEP);
  const answer = post(url!, '{"early":true}');
  await new Promise((resolve) => setTimeout(resolve, 20));
  const received: Json[] = [];
  inbox.receive(async (_, body) => void received.push(body));
  expect(await answer).toEqual([200, '{}']);
  expect(received).toEqual([{ early: true }]);
});

test('without a receiver a callback is not acknowledged', async () => {
  const inbox = await anInbox({ holdMs: 5 });
  const { url } = await inbox.open(STEP);
  expect((await post(url!, '{}'))[0]).toBe(503);
});

test('what the receiver could not keep is not acknowledged, and may come again', async () => {
  const inbox = await anInbox();
  let broken = true;
  inbox.receive(async () => {
    if (broken) throw new Error('disk full');
  });
  const { url } = await inbox.open(STEP);
  expect((await post(url!, '{}'))[0]).toBe(503);
  broken = false;
  expect((await post(url!, '{}'))[0]).toBe(200);
});

test('the same body again is acknowledged without being handed over again', async () => {
  const { received, url } = await aListening();
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, '{"a":1}')));
  expect(answers.map(([status]) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(received).toHaveLength(1);
});

test('one attempt cannot fill the journal', async () => {
  const { received, url, inbox } = await aListening();
  const statuses = new Map<number, number>();
  for (let index = 0; index < 40; index += 1) {
    const [status] = await post(url, JSON.stringify({ index }));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(statuses).toEqual(
    new Map([
      [200, 16],
      [503, 24],
    ]),
  );
  expect(received).toHaveLength(16);
  const { url: other } = await inbox.open(OTHER);
  expect((await post(other!, '{}'))[0]).toBe(200);
});

test('callbacks at the same time each reach their own step', async () => {
  const inbox = await anInbox();
  const received = new Map<StepId, Json>();
  inbox.receive(async (step, body) => void received.set(step, body));
  const steps = Array.from({ length: 100 }, (_, index) => `certificate.b[${index}]#1` as StepId);
  const answers = await Promise.all(
    steps.map(async (step, index) => post((await inbox.open(step)).url!, JSON.stringify({ index }))),
  );
  expect(answers.every(([status]) => status === 200)).toBe(true);
  for (const [index, step] of steps.entries()) expect(received.get(step)).toEqual({ index });
});

test('every address that is no attempt’s gets the same 404 and reaches nobody', async () => {
  const { received, url } = await aListening();
  const base = new URL(url).origin;
  const token = url.split('/').at(-1)!;
  const swapped = token.startsWith('A') ? `B${token.slice(1)}` : `A${token.slice(1)}`;
  const paths = [
    `/cb/${swapped}`,
    `/cb/${token.slice(0, -1)}`,
    `/cb/${token}x`,
    `/cb/${token}/`,
    `/cb/${token}?x=1`,
    `/cb/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
    `/CB/${token}`,
    `/cb/${'_'.repeat(43)}`,
    `/cb/${'a'.repeat(5000)}`,
    '/cb/__proto__',
    '/cb/',
    '/cb',
    '/',
    '/status',
    '/metrics',
  ];
  for (const path of paths) expect([path, await post(`${base}${path}`, '{}')]).toEqual([path, [404, '{}']]);
  expect(received).toHaveLength(0);
});

test('only POST delivers, and only healthz answers GET', async () => {
  const { received, url } = await aListening();
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    expect((await post(url, '', method))[0]).toBe(405);
  }
  expect(await post(`${new URL(url).origin}/healthz`, '', 'GET')).toEqual([200, '{}']);
  expect(received).toHaveLength(0);
});

test('a prefix that a proxy leaves in front is accepted', async () => {
  const { received, inbox, url } = await aListening({ callbacks: { url: 'https://hooks.example.com/wl/' } });
  expect(url).toMatch(/^https:\/\/hooks\.example\.com\/wl\/cb\/[\w-]{43}$/);
  const local = `http://127.0.0.1:${inbox.port}`;
  const { pathname } = new URL(url);
  expect((await post(`${local}${pathname}`, '{"a":1}'))[0]).toBe(200);
  expect((await post(`${local}${pathname.replace('/wl', '')}`, '{"a":2}'))[0]).toBe(200);
  expect(received).toHaveLength(2);
});

test.each([
  ['no JSON', '<xml/>'],
  ['nothing', ''],
  ['a member twice', '{"status":"failed","status":"success"}'],
  ['a member twice, once escaped', String.raw`{"status":"failed","st\u0061tus":"success"}`],
  ['a member twice in an inner object', '{"a":[{"b":{"c":1,"c":2}}]}'],
  ['a prototype member', '{"__proto__":{"status":"success"}}'],
  ['an escaped prototype member', String.raw`{"\u005f_proto__":1}`],
  ['a constructor member', '{"a":{"constructor":{"prototype":1}}}'],
  ['21 levels', `${'['.repeat(21)}${']'.repeat(21)}`],
  ['a hundred thousand levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a byte order mark', Buffer.from('\ufeff{}')],
])('a body with %s is refused', async (_, body) => {
  const { received, url } = await aListening();
  expect(await post(url, body)).toEqual([400, '{}']);
  expect(received).toHaveLength(0);
});

test.each([
  ['equal names in different objects', '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}'],
  ['names inside strings', String.raw`{"a":"{\"b\":1,\"b\":2}","b":"\\"}`],
  ['20 levels', `${'['.repeat(20)}${']'.repeat(20)}`],
  ['a number alone', '7'],
])('a body with %s is taken as it is', async (_, body) => {
  const { received, url } = await aListening();
  expect((await post(url, body))[0]).toBe(200);
  expect(received[0]?.body).toEqual(JSON.parse(body));
});

test('a body that announces more than 256 kB is refused before it is read', async () => {
  const { received, url } = await aListening({ requestMs: 300 });
  const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n`;
  expect(await rawExchange(url, head)).toMatch(/^HTTP\/1\.1 413 /);
  expect(received).toHaveLength(0);
});

test('a chunked body of 1 MB is refused', async () => {
  const { received, url } = await aListening();
  const chunk = `${(1_000_000).toString(16)}\r\n${'1'.repeat(1_000_000)}\r\n`;
  const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`;
  expect(await rawExchange(url, head + chunk)).not.toMatch(/^HTTP\/1\.1 200 /);
  expect(received).toHaveLength(0);
});

test('a body that never ends is cut off, and others are served meanwhile', async () => {
  const { received, url } = await aListening({ requestMs: 300 });
  const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a"`;
  const stalled = rawExchange(url, head);
  expect((await post(url, '{"b":1}'))[0]).toBe(200);
  expect(await stalled).toMatch(/^HTTP\/1\.1 408 /);
  expect(received).toHaveLength(1);
});

test('garbage instead of HTTP is refused and the listener lives on', async () => {
  const { url } = await aListening();
  expect(await rawExchange(url, '\u0000\u0001garbage\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  expect((await post(url, '{}'))[0]).toBe(200);
});

test('answers name neither product nor version', async () => {
  const { url } = await aListening();
  const text = await rawExchange(
    url,
    `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
  );
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toMatch(/^(server|x-powered-by):/im);
});

test('an address given away in an earlier run stays good', async () => {
  const tokens = memoryTokens();
  const first = await openInbox({ callbacks: {}, tokens, clock: realClock, anyPort: true });
  const { url } = await first.open(STEP);
  await first.close();
  const second = await anInbox({ tokens, port: first.port! });
  const received: StepId[] = [];
  second.receive(async (step) => void received.push(step));
  expect((await post(url!, '{}'))[0]).toBe(200);
  expect(received).toEqual([STEP]);
});

test('a taken port is replaced by another one for the embedded platform only', async () => {
  const { server } = await serve((_, response) => json(response, 200, {}));
  const port = (server.address() as { port: number }).port;
  const inbox = await anInbox({ port });
  expect(inbox.port).not.toBe(port);
  await expect(anInbox({ port, anyPort: false })).rejects.toMatchObject({ code: 'CALLBACKS_PORT' });
});

test('listen names the address', async () => {
  const port = await freePort();
  const inbox = await anInbox({ callbacks: { listen: `127.0.0.1:${port}` }, anyPort: false });
  expect(inbox.url).toBe(`http://127.0.0.1:${port}`);
  for (const listen of ['nonsense', '127.0.0.1:99999', ':80', '203.0.113.1:0']) {
    await expect(anInbox({ callbacks: { listen }, anyPort: false })).rejects.toMatchObject({
      code: 'CALLBACKS_PORT',
    });
  }
});

test('with callbacks off there is a token and no address', async () => {
  const inbox = await anInbox({ callbacks: 'off' });
  const { url, token } = await inbox.open(STEP);
  expect(url).toBeUndefined();
  expect(token).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(inbox.port).toBeUndefined();
});

test('closing does not wait for a sender that says nothing', async () => {
  const inbox = await anInbox();
  const { port, hostname } = new URL(inbox.url!);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('POST /cb/');
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  await inbox.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});
