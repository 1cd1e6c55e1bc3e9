import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, request as send, type IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * What befalls one request on its way: `cut-before` and `cut-after` its delivery, `half` an answer, `twice` delivered
 * with the first answer or, `twice-last`, the second, or `again` when nobody waits any more; a `gateway` error although it was delivered; `held`, delivered
 * only when the sender has long given up; `withheld`: its answer goes to the request that is `astray`, or to the one that is kept from
 * the platform, `astray-instead`; `limited-late`: refused for its rate on the way, and delivered for all that.
 */
export type NetworkFault =
  | 'cut-before'
  | 'cut-after'
  | 'half'
  | 'twice'
  | 'twice-last'
  | 'again'
  | 'gateway'
  | 'held'
  | 'limited'
  | 'withheld'
  | 'astray'
  | 'astray-instead'
  | 'limited-late';

/** Longer than the platform says that a write may wait, and than a run waits for it. */
export const HELD_MS = 19_000;

/** Longer than a short run takes after its last request, and less than what the platform says that a write may wait. */
export const AGAIN_MS = 6_000;

/** Longer than a refusal for its rate asks to wait. */
export const LATE_MS = 3_000;

/** Says what befalls a request; undefined lets it pass. */
export type Decide = (method: string, path: string) => NetworkFault | undefined;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer that the proxy keeps, and who waits for it. */
interface Kept {
  readonly keep: (answer: Answer) => void;
  readonly kept: Promise<Answer>;
}

function keeping(): Kept {
  let keep: Kept['keep'] = () => undefined;
  const kept = new Promise<Answer>((resolve) => (keep = resolve));
  return { keep, kept };
}

/**
 * A real HTTP proxy between the command line and the platform of a folder; away again when `work` is over.
 *
 * @param how `strips`: it takes headers off that only our own platform knows
 */
export async function throughFaults<T>(
  folder: string,
  decide: Decide,
  work: () => Promise<T>,
  how: { readonly strips?: boolean } = {},
): Promise<T> {
  const registration = join(folder, '.windlass', 'platform.json');
  const text = await readFile(registration, 'utf8');
  const { api_url: upstream, ...rest } = JSON.parse(text) as { readonly api_url: string };
  const kept = keeping();
  const server = createServer((incoming, outgoing) => {
    if (how.strips === true) strip(incoming.headers);
    void handle(incoming, upstream, { decide, kept }).then(
      (answer) => {
        if (answer === undefined) return incoming.socket.destroy();
        const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const isText = String(answer.headers['content-type']).includes('json');
        const body = isText ? answer.body.toString('utf8').replaceAll(upstream, own) : answer.body;
        const { 'content-length': _size, 'transfer-encoding': _chunked, ...headers } = answer.headers;
        outgoing.writeHead(answer.status, headers).end(body);
        return undefined;
      },
      () => incoming.socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await replace(registration, JSON.stringify({ ...rest, api_url: own }));
  try {
    return await work();
  } finally {
    await replace(registration, text);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What reaches the sender, of a request that `deliver` takes to the platform; undefined: the connection breaks. */
const COURSES: Readonly<
  Record<NetworkFault, (deliver: () => Promise<Answer>, kept: Kept) => Promise<Answer | undefined>>
> = {
  'cut-before': async () => undefined,
  'cut-after': async (deliver) => {
    await deliver();
    return undefined;
  },
  half: async (deliver) => {
    const answer = await deliver();
    return { ...answer, body: answer.body.subarray(0, answer.body.length / 2) };
  },
  twice: async (deliver) => {
    const first = await deliver();
    await deliver();
    return first;
  },
  'twice-last': async (deliver) => {
    await deliver();
    return deliver();
  },
  again: async (deliver) => {
    setTimeout(() => void deliver().catch(() => undefined), AGAIN_MS);
    return deliver();
  },
  gateway: async (deliver) => {
    await deliver();
    return { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') };
  },
  held: async (deliver) => {
    setTimeout(() => void deliver().catch(() => undefined), HELD_MS);
    return undefined;
  },
  withheld: async (deliver, { keep }) => {
    keep(await deliver());
    return undefined;
  },
  astray: async (deliver, { kept }) => {
    await deliver();
    return kept;
  },
  'astray-instead': (_deliver, { kept }) => kept,
  'limited-late': async (deliver) => {
    setTimeout(() => void deliver().catch(() => undefined), LATE_MS);
    return { status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('') };
  },
  limited: async () => ({ status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('') }),
};

function strip(headers: IncomingHttpHeaders): void {
  for (const name of Object.keys(headers)) if (name.startsWith('windlass-')) delete headers[name];
}

async function handle(
  incoming: IncomingMessage,
  upstream: string,
  { decide, kept }: { readonly decide: Decide; readonly kept: Kept },
): Promise<Answer | undefined> {
  const body = await bytesOf(incoming);
  const { method = 'GET', url = '/' } = incoming;
  const deliver = (): Promise<Answer> => forward(upstream, incoming, body);
  const fault = decide(method, url);
  return fault === undefined ? deliver() : COURSES[fault](deliver, kept);
}

function forward(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { connection: _connection, host: _host, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = send(`${upstream}${incoming.url ?? ''}`, {
      method: incoming.method ?? 'GET',
      headers: { ...headers, 'content-length': String(body.length) },
      agent: false,
    });
    outgoing.on('response', (response) => {
      bytesOf(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** What really happened at the platform that runs detached in a folder: live effects by kind. */
export async function liveEffects(folder: string): Promise<Readonly<Record<string, number>>> {
  const log = await readFile(join(folder, '.windlass', 'platform.log'), 'utf8');
  return effectsAt(/truth\s+(http:\S+)/.exec(log)?.[1] ?? '');
}

/** What really happened, from a platform's port of ground truth: live effects by kind. */
export async function effectsAt(truthUrl: string): Promise<Readonly<Record<string, number>>> {
  const answer = (await (await fetch(`${truthUrl}/__truth/effects`)).json()) as {
    readonly effects: readonly { readonly kind: string; readonly state: string }[];
  };
  const counts: Record<string, number> = {};
  for (const { kind, state } of answer.effects) if (state === 'live') counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Lets a fault befall the n-th request (from 1) of a method to a path, once. */
export function once(fault: NetworkFault, method: string, path: RegExp, nth = 1): Decide {
  let seen = 0;
  return (asked, url) => {
    if (asked !== method || !path.test(url)) return undefined;
    seen += 1;
    return seen === nth ? fault : undefined;
  };
}
