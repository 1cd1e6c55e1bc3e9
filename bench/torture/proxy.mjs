import { createServer, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What may befall a write. `repeat`: it is delivered twice, as by a middlebox that tries again behind one's back. `astray`: it
 * gets the last answer to another write of its path.
 */
const WRITE_FAULTS = [
  'cut-before',
  'cut-after',
  'cut-reply',
  'bad-gateway-before',
  'bad-gateway-after',
  'slow',
  'late',
  'redirect',
  'limited',
  'garbage-after',
  'drip',
  'repeat-first',
  'repeat-second',
  'repeat-later',
  'astray',
  'astray-instead',
];
const REPEATS = new Set(['repeat-first', 'repeat-second', 'repeat-later']);
const READ_FAULTS = [
  'cut-before',
  'cut-reply',
  'bad-gateway-before',
  'limited-once',
  'slow',
  'garbage-after',
  'cached',
];
const CALLBACK_FAULTS = [
  'twice',
  'later',
  'lost',
  'refused',
  'forged-failure',
  'forged-success',
  'guessed',
  'cut-after',
];
const WRITES = new Set(['POST', 'PUT', 'PATCH']);

/**
 * A reverse proxy that lets the faults happen that `decide` names: for each request `{kind, method, path}` with
 * `kind` one of `write`, `read`, `callback`; undefined lets it pass. Addresses of the upstream in answers become its own.
 */
export async function openProxy({ upstream, decide, alter = (_path, text) => text, lateMs = 1500 }) {
  const state = { log: [], repeated: [], open: new Set(), kept: new Map(), upstream };
  const server = createServer((incoming, outgoing) => {
    const work = collect(incoming)
      .then((body) => handle(state, { incoming, outgoing, body, decide, alter, lateMs, own: server.own }))
      .catch(() => incoming.socket.destroy());
    state.open.add(work);
    void work.finally(() => state.open.delete(work));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.own = `http://127.0.0.1:${server.address().port}`;
  return {
    url: server.own,
    /** Requests and what befell them. */
    log: state.log,
    /** Writes that were delivered twice: `{path, body, statuses}`. */
    repeated: state.repeated,
    retarget: (url) => (state.upstream = url),
    /** Waits for what is still to be delivered. */
    quiet: async () => {
      while (state.open.size > 0) await Promise.allSettled(state.open);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(state, { incoming, outgoing, body, decide, alter, lateMs, own }) {
  const { method, url: path } = incoming;
  const isWrite = WRITES.has(method) && !path.startsWith('/rpc');
  const kind = path.startsWith('/cb/') ? 'callback' : isWrite ? 'write' : 'read';
  const fault = path === '/health' ? undefined : decide({ kind, method, path });
  if (fault !== undefined)
    state.log.push(`${method} ${path.replace(/\/cb\/.*/, '/cb/…').slice(0, 60)}: ${fault}`);
  const key = `${method} ${path}`;
  const kept = state.kept.get(key);
  const forward = async (content = body, to = path) => {
    const answer = await deliver(state.upstream, {
      method,
      path: to,
      headers: incoming.headers,
      body: content,
    });
    // Of a page the first, which gets old; of a write the last.
    if (answer.status === 200 && (isWrite || kept === undefined)) state.kept.set(key, answer);
    return answer;
  };
  const reply = (answer) => {
    if (outgoing.destroyed) return;
    const isText = /json|text/.test(String(answer.headers['content-type'] ?? ''));
    const altered = isText
      ? Buffer.from(alter(path, answer.body.toString('utf8').replaceAll(state.upstream, own)))
      : answer.body;
    const { 'transfer-encoding': _chunked, connection: _connection, ...headers } = answer.headers;
    outgoing.writeHead(answer.status, { ...headers, 'content-length': altered.length });
    outgoing.end(altered);
  };
  const cut = () => incoming.socket.destroy();
  const html = (status, headers = {}) =>
    reply({
      status,
      headers: { 'content-type': 'text/html', ...headers },
      body: Buffer.from('<html>no</html>'),
    });
  const twice = async (gapMs) => {
    const first = await forward();
    const record = { path, body: body.toString('latin1'), statuses: [first.status] };
    state.repeated.push(record);
    const second = sleep(gapMs).then(() => forward());
    return { first, second: second.then((answer) => (record.statuses.push(answer.status), answer)) };
  };
  switch (fault) {
    case undefined:
      return reply(await forward());
    case 'cut-before':
      return cut();
    case 'cut-after':
      await forward();
      return cut();
    case 'cut-reply': {
      const answer = await forward();
      outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length + 1 });
      outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)));
      await sleep(5);
      return cut();
    }
    case 'bad-gateway-before':
    case 'refused':
      return html(502);
    case 'bad-gateway-after':
      await forward();
      return html(504);
    case 'slow':
      await sleep(800);
      return reply(await forward());
    case 'late':
      cut();
      await sleep(lateMs);
      return void (await forward());
    case 'redirect':
      return html(307, { location: `${own}${path}` });
    case 'astray': {
      const answer = await forward();
      return reply(kept ?? answer);
    }
    case 'astray-instead':
    case 'cached':
      return reply(kept ?? (await forward()));
    case 'limited':
    case 'limited-once':
      return html(429, { 'retry-after': '1' });
    case 'garbage-after':
      await forward();
      return html(200);
    case 'drip': {
      const answer = await forward();
      outgoing.writeHead(answer.status, answer.headers);
      for (const byte of answer.body) {
        outgoing.write(Buffer.from([byte]));
        await sleep(1);
      }
      return outgoing.end();
    }
    case 'repeat-first': {
      const { first, second } = await twice(0);
      reply(first);
      return void (await second);
    }
    case 'repeat-second':
      return reply(await (await twice(0)).second);
    case 'repeat-later': {
      const { first, second } = await twice(lateMs);
      reply(first);
      return void (await second);
    }
    case 'twice': {
      reply(await forward());
      await sleep(20);
      return void (await forward());
    }
    case 'later':
      await sleep(1200);
      return reply(await forward());
    case 'lost':
      return reply({ status: 200, headers: {}, body: Buffer.from('{}') });
    case 'forged-failure':
      await forward(forged(body, 'failed'));
      return reply(await forward());
    case 'forged-success':
      await forward(forged(body, 'success'));
      return reply(await forward());
    case 'guessed':
      await forward(body, path.replace(/.{4}$/, 'AAAA'));
      await forward(body, '/cb/../status');
      return reply(await forward());
  }
  throw new Error(`no fault ${fault}`);
}

/** The callback with the opposite word and, for a success, another transaction. */
function forged(body, status) {
  const text = body.toString('utf8');
  try {
    const parsed = JSON.parse(text);
    const fields = parsed.result ?? parsed;
    const word = /^(Completed|Error)$/.test(fields.status)
      ? { success: 'Completed', failed: 'Error' }[status]
      : status;
    const mark =
      status === 'success'
        ? { transactionHash: `0x${'ab'.repeat(32)}`, contract_address: `0x${'ab'.repeat(20)}` }
        : {};
    const made =
      fields.deployed_contract_addresses === undefined || status === 'success'
        ? {}
        : { deployed_contract_addresses: [] };
    return Buffer.from(JSON.stringify({ ...fields, status: word, message: 'forged', ...mark, ...made }));
  } catch {
    return body;
  }
}

function deliver(upstream, { method, path, headers, body }) {
  const { connection: _connection, host: _host, ...rest } = headers;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(upstream);
    const outgoing = send(
      { hostname, port, method, path, headers: { ...rest, 'content-length': body.length }, agent: false },
      (incoming) =>
        collect(incoming).then(
          (bytes) => resolve({ status: incoming.statusCode, headers: incoming.headers, body: bytes }),
          reject,
        ),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Decides by chance: `share` of the requests of each kind meet one of its faults, until it is told to be calm. */
export function byChance(chances, { write, read, callback, repeats }) {
  const writes = repeats ? WRITE_FAULTS : WRITE_FAULTS.filter((fault) => !REPEATS.has(fault));
  const faults = { write: writes, read: READ_FAULTS, callback: CALLBACK_FAULTS };
  const share = { write, read, callback };
  let calm = false;
  return {
    decide: ({ kind }) => (calm || chances.number(1) >= share[kind] ? undefined : chances.pick(faults[kind])),
    beCalm: () => (calm = true),
  };
}
