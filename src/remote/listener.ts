import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, WindlassError } from '../model/error.js';
import type { Json } from '../model/json.js';
import type { Clock } from '../execute/ports.js';
import { parseStrictJson } from './strict-json.js';
import { endOfTurn } from './turn.js';

/** Largest callback body: receipts with many logs are large. */
const MAX_BODY_BYTES = 256_000;

/** How long a sender may take for one callback. */
const REQUEST_MS = 10_000;

/** How long an idle socket, or one whose callback waits to become durable, is kept. */
const SOCKET_MS = 20_000;

/** How long callbacks under way may take to end when the listener closes. */
const CLOSING_MS = 500;

/** A callback that was let in: its bytes, and what they say. */
export interface Arrival<Owner> {
  readonly owner: Owner;
  readonly bytes: Buffer;
  readonly body: Json;
}

/** What a listener asks about what comes. */
export interface Gate<Owner> {
  /** Whose token it is, or undefined for what is none. */
  readonly find: (token: string) => Owner | undefined | Promise<Owner | undefined>;
  /** Done when the arrival is durable; false: not now, the sender may try again. */
  readonly deliver: (arrival: Arrival<Owner>) => Promise<boolean>;
}

/** Where a listener binds, and how it behaves. */
export interface ListenerOptions {
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  /** Another port will do when that one is taken. */
  readonly anyPort: boolean;
  readonly clock: Clock;
  /** Milliseconds in which a sender must have sent all of a callback; 10,000. */
  readonly requestMs?: number;
}

/** A listener for callbacks. */
export interface Listener {
  readonly port: number;
  /** Stops listening; what is under way has half a second to end. */
  close(): Promise<void>;
}

/**
 * Listens for callbacks: `POST /cb/TOKEN` and `GET /healthz` and nothing else (reliability §5). The answer is 200 only
 * when the gate says that the callback is durable; every address that is no token's gets the same 404.
 *
 * @throws CALLBACKS_PORT when the address cannot be used
 */
export async function openListener<Owner>(options: ListenerOptions, gate: Gate<Owner>): Promise<Listener> {
  const server = createServer(
    {
      headersTimeout: Math.min(options.requestMs ?? REQUEST_MS, REQUEST_MS / 2),
      requestTimeout: options.requestMs ?? REQUEST_MS,
      // Without it Node looks for late requests every 30 s only, whatever the time-outs say (measured).
      connectionsCheckingInterval: 500,
      // Senders drop a kept connection some 2 s before this (undici), so less would mean one per callback.
      keepAliveTimeout: 5000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      void answer(request, response, gate);
    },
  );
  server.maxConnections = 200;
  server.maxRequestsPerSocket = 1000;
  server.timeout = SOCKET_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    else socket.destroy();
  });
  const port = await listen(server, options, options.port);
  return { port, close: () => closeServer(server, options.clock) };
}

async function listen(server: Server, { host, anyPort }: ListenerOptions, port: number): Promise<number> {
  try {
    return await bind(server, host, port);
  } catch (error) {
    if (!anyPort || port === 0) {
      throw new WindlassError('CALLBACKS_PORT', `Cannot listen on ${host}:${port}: ${messageOf(error)}.`);
    }
    return bind(server, host, 0);
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

async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const grace = new AbortController();
  await Promise.race([closed, clock.sleep(CLOSING_MS, grace.signal)]);
  grace.abort();
  server.closeAllConnections();
  await closed;
}

async function answer<Owner>(
  request: IncomingMessage,
  response: ServerResponse,
  gate: Gate<Owner>,
): Promise<void> {
  response.on('error', () => undefined);
  try {
    const status = await statusOf(request, gate);
    reply(response, status);
  } catch {
    // The sender went away, or the token store failed: not acknowledged either way.
    reply(response, 503);
  }
}

const REPLY = '{}';

/** With its length known, head and body are one write. */
const REPLY_HEADERS = { 'content-type': 'application/json', 'content-length': REPLY.length };

/** Bodies are the same for every token, known or not. Only who is served keeps the connection. */
function reply(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  const connection = status === 200 ? {} : { connection: 'close' };
  response.writeHead(status, { ...REPLY_HEADERS, ...connection }).end(REPLY);
}

async function statusOf<Owner>(request: IncomingMessage, gate: Gate<Owner>): Promise<number> {
  const path = request.url ?? '';
  if (path === '/healthz') return request.method === 'GET' ? 200 : 405;
  // A proxy may leave its own prefix in front. No decoding: a token has one spelling.
  const token = /^(?:\/[^?#]*)?\/cb\/([A-Za-z0-9_-]{43})$/.exec(path)?.[1];
  const found = token === undefined ? undefined : gate.find(token);
  const owner = found instanceof Promise ? await found : found;
  if (owner === undefined) return 404;
  if (request.method !== 'POST') return 405;
  const bytes = await readBody(request);
  if (bytes === undefined) return 413;
  await endOfTurn();
  const body = parseStrictJson(bytes);
  if (body === undefined) return 400;
  return (await gate.deliver({ owner, bytes, body })) ? 200 : 503;
}

/** The whole body; undefined when it is too large, however much of it is still to come. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return Promise.resolve(undefined);
  // Listeners rather than an iterator, which makes several promises for each chunk.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        // The socket stays: the sender is still to be answered.
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('the sender went away'));
    });
  });
}
