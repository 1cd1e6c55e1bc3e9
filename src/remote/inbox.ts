import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Digest } from '../model/canonical.js';
import type { Environment } from '../model/environment.js';
import { messageOf, WindlassError } from '../model/error.js';
import type { StepId } from '../model/id.js';
import type { Clock, Inbox } from '../execute/ports.js';
import { openHandover, type Handover } from './handover.js';
import { parseStrictJson } from './strict-json.js';

/** Largest callback body: receipts with many logs are large. */
const MAX_BODY_BYTES = 256_000;

/** How long a sender may take for one callback. */
const REQUEST_MS = 10_000;

/** How long a callback waits for the run to be ready for it. */
const HOLD_MS = 3000;

/** How long callbacks under way may take to end when the inbox closes. */
const CLOSING_MS = 500;

/** Where the listener binds when the environment says nothing. */
const DEFAULT_HOST = '127.0.0.1';

/** The attempts' tokens, kept beside the journal. */
export interface TokenStore {
  /** A new token for an attempt, 32 random bytes in base64url, durable before it returns; `digest` is its SHA-256. */
  create(step: StepId): Promise<{ readonly token: string; readonly digest: Digest }>;
  /** The step that a token was created for, in this or any earlier run. Never throws for what is no token. */
  find(token: string): StepId | undefined | Promise<StepId | undefined>;
}

/** What an inbox is opened with. */
export interface InboxOptions {
  readonly callbacks: Environment['callbacks'];
  readonly tokens: TokenStore;
  readonly clock: Clock;
  /** The port of the last run: addresses given away then stay good. Ignored where `listen` names one. */
  readonly port?: number;
  /** True for the embedded platform: another port will do when that one is taken, as it calls each attempt's own URL. */
  readonly anyPort: boolean;
  /** Milliseconds that a callback waits for the receiver; 3000. */
  readonly holdMs?: number;
  /** Milliseconds in which a sender must have sent all of a callback; 10,000. */
  readonly requestMs?: number;
}

/** A listening inbox. */
export interface OpenInbox extends Inbox {
  /** How the service reaches it, without trailing slash; undefined when callbacks are off. */
  readonly url: string | undefined;
  /** The port in use, to be passed again in the next run; undefined when callbacks are off. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/**
 * Opens the inbox: a listener of its own, which serves `POST /cb/TOKEN` and `GET /healthz` and nothing else
 * (reliability §5). A callback is acknowledged with 200 only after the receiver has made it durable.
 *
 * @throws CALLBACKS_PORT when the address cannot be used
 */
export async function openInbox(options: InboxOptions): Promise<OpenInbox> {
  const { callbacks, tokens } = options;
  const handover = openHandover(options.clock, options.holdMs ?? HOLD_MS);
  const server = callbacks === 'off' ? undefined : createListener(options, handover);
  const place = callbacks === 'off' ? undefined : placeOf(callbacks.listen, options.port);
  const port = server && place ? await listen(server, place, options.anyPort) : undefined;
  const own = place && `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port}`;
  const url = callbacks === 'off' ? undefined : (callbacks.url?.replace(/\/+$/, '') ?? own);
  return {
    url,
    port,
    open: async (step) => {
      const { token, digest } = await tokens.create(step);
      return { url: url === undefined ? undefined : `${url}/cb/${token}`, token: digest };
    },
    receive: (handler) => handover.receive(handler),
    close: () => closeListener(server, options.clock),
  };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

function placeOf(address: string | undefined, lastPort: number | undefined): Place {
  if (address === undefined) return { host: DEFAULT_HOST, port: lastPort ?? 0 };
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  if (colon < 1 || !(port >= 0 && port <= 65_535)) {
    throw new WindlassError('CALLBACKS_PORT', `${address} is not host:port.`);
  }
  return { host, port: port === 0 ? (lastPort ?? 0) : port };
}

async function listen(server: Server, { host, port }: Place, anyPort: boolean): Promise<number> {
  try {
    return await bind(server, host, port);
  } catch (error) {
    if (anyPort && port !== 0) return listen(server, { host, port: 0 }, false);
    throw new WindlassError('CALLBACKS_PORT', `Cannot listen on ${host}:${port}: ${messageOf(error)}.`);
  }
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function closeListener(server: Server | undefined, clock: Clock): Promise<void> {
  if (server === undefined) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const grace = new AbortController();
  await Promise.race([closed, clock.sleep(CLOSING_MS, grace.signal)]);
  grace.abort();
  server.closeAllConnections();
  await closed;
}

function createListener({ tokens, requestMs = REQUEST_MS }: InboxOptions, handover: Handover): Server {
  const server = createServer(
    {
      headersTimeout: Math.min(requestMs, 5000),
      requestTimeout: requestMs,
      // Without it Node looks for late requests every 30 s only, whatever the time-outs say (measured).
      connectionsCheckingInterval: 500,
      keepAliveTimeout: 1000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      void answer(request, response, tokens, handover);
    },
  );
  server.maxConnections = 200;
  server.maxRequestsPerSocket = 1;
  server.timeout = requestMs + HOLD_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    else socket.destroy();
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tokens: TokenStore,
  handover: Handover,
): Promise<void> {
  response.on('error', () => undefined);
  try {
    const status = await statusOf(request, tokens, handover);
    reply(response, status);
  } catch {
    // The sender went away, or the token store failed: not acknowledged either way.
    reply(response, 503);
  }
}

/** Bodies are the same for every token, known or not. */
function reply(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end('{}');
}

async function statusOf(request: IncomingMessage, tokens: TokenStore, handover: Handover): Promise<number> {
  const path = request.url ?? '';
  if (path === '/healthz') return request.method === 'GET' ? 200 : 405;
  // A proxy may leave its own prefix in front. No decoding: a token has one spelling.
  const token = /^(?:\/[^?#]*)?\/cb\/([A-Za-z0-9_-]{43})$/.exec(path)?.[1];
  const step = token === undefined ? undefined : await tokens.find(token);
  if (step === undefined) return 404;
  if (request.method !== 'POST') return 405;
  const bytes = await readBody(request);
  if (bytes === undefined) return 413;
  const body = parseStrictJson(bytes);
  if (body === undefined) return 400;
  return (await handover.deliver({ step, bytes, body })) ? 200 : 503;
}

/** The whole body; undefined when it is too large, however much of it is still to come. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the socket: the sender is still to be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
