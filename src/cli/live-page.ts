import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentPolicy } from '../report/page.js';
import { LIVE_SCRIPT } from './live-script.js';

/** Milliseconds between two events at most: a run of thousands of steps must not draw its page for each. */
const EVENT_MS = 500;

/** How long readers may take to fetch the last state when the run has ended, in milliseconds. */
const CLOSING_MS = 1500;

/** A page that is served on loopback while something goes on. */
export interface LivePage {
  /** Where it is; the path cannot be guessed. */
  readonly url: string;
  /** Tells readers that there is something new. */
  changed(): void;
  /** Gives readers the last state, then ends the server. */
  end(): Promise<void>;
}

/**
 * Serves a page on 127.0.0.1, on any free port, below a path that cannot be guessed. Requests that name another host
 * are refused, so that no page elsewhere can read it through a name that resolves here.
 *
 * @param draw the page as it is now
 */
export async function openLivePage(draw: () => string): Promise<LivePage> {
  const path = `/${randomBytes(16).toString('base64url')}/`;
  const readers = new Set<ServerResponse>();
  const server = createServer((request, response) => answer(request, response, { path, readers, draw }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  let timer: NodeJS.Timeout | undefined;
  const tell = (event: string): void => {
    for (const reader of readers) reader.write(`event: ${event}\ndata:\n\n`);
  };
  return {
    url: `http://127.0.0.1:${portOf(server)}${path}`,
    changed: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        tell('change');
      }, EVENT_MS);
    },
    end: async () => {
      clearTimeout(timer);
      tell('end');
      if (readers.size > 0) await new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
      await Promise.all([...readers].map((reader) => new Promise<void>((done) => reader.end(done))));
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Serving {
  readonly path: string;
  readonly readers: Set<ServerResponse>;
  readonly draw: () => string;
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': `${contentPolicy(LIVE_SCRIPT)}; frame-ancestors 'none'`,
} as const;

function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const { path, readers, draw } = serving;
  const here = `127.0.0.1:${request.socket.localPort}`;
  if (request.method !== 'GET' || request.headers.host !== here) return refuse(response, 403);
  if (request.url === path) {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    response.end(draw());
    return;
  }
  if (request.url !== `${path}events`) return refuse(response, 404);
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.write(':\n\n');
  readers.add(response);
  response.on('close', () => readers.delete(response));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, HEADERS);
  response.end();
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
