import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/execute/ports.js';
import type { WriteRequest } from '../../src/kinds/operation.js';
import { CAPABILITIES } from '../../src/protocol/endpoint.js';
import { openService, type OpenService, type ServiceOptions } from '../../src/remote/service.js';

/** Credentials that must never come back out. */
export const CANARY = { clientId: 'canary-client-0001', clientSecret: 'sk_canary/secret+0001' };

/** The machine's clock. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** A clock that moves only when something sleeps; counts how long that was. */
export function jumpingClock(): Clock & { sleptMs: number } {
  const clock = {
    sleptMs: 0,
    nowMs: () => 1_700_000_000_000 + clock.sleptMs,
    sleep: async (ms: number) => {
      await Promise.resolve();
      clock.sleptMs += ms;
    },
  };
  return clock;
}

/** A request as a test server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A real HTTP server on a free port; closed when the test ends. */
export async function serve(
  answer: (request: Seen, response: ServerResponse) => void,
): Promise<{ url: string; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks) };
      seen.push(request);
      answer(request, response);
    });
  });
  return { url: await listen(server), seen, server };
}

/** A server of raw sockets, for answers that no HTTP server gives. */
export async function serveRaw(onSocket: (socket: Socket) => void): Promise<{ url: string }> {
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    onSocket(socket);
  });
  return { url: await listen(server) };
}

async function listen(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Answers JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A service with everything a test does not care about; closed when the test ends. */
export function aService(baseUrl: string, options: Partial<ServiceOptions> = {}): OpenService {
  const service = openService({
    baseUrl,
    credentials: async () => CANARY,
    clock: realClock,
    files: async () => new Uint8Array(),
    secrets: async () => 'a secret',
    capabilities: new Set(CAPABILITIES),
    recognised: true,
    retry: { retries: 3, firstWaitMs: 1, longestWaitMs: 2 },
    ...options,
  });
  onTestFinished(() => service.close());
  return service;
}

/** A JSON write that takes a callback. */
export function aWrite(overrides: Partial<WriteRequest> = {}): WriteRequest {
  return {
    endpoint: 'audit.record.create',
    params: {},
    body: { metadata: '{"a":1}' },
    takesCallback: true,
    ...overrides,
  };
}
