import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/model/json.js';
import { checkCallback } from '../support/conformance.js';

/** A real listener for callbacks: answers 200 and keeps what was posted, by path. */
export interface Receiver {
  /** A callback URL that nothing else uses. */
  url(): string;
  /** The body posted to a URL, once it is there. */
  received(url: string): Promise<JsonObject>;
  /** How many bodies were posted to a URL so far. */
  count(url: string): number;
  /** How many bodies were posted so far, to whatever URL; and to how many of them. */
  total(): number;
  distinct(): number;
  close(): Promise<void>;
}

/** Opens a listener on a free port of the loopback interface. */
export async function openReceiver(): Promise<Receiver> {
  const bodies = new Map<string, JsonObject[]>();
  const waiting = new Map<string, (body: JsonObject) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      checkCallback(body);
      bodies.set(path, [...(bodies.get(path) ?? []), body]);
      waiting.get(path)?.(body);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let used = 0;
  const pathOf = (url: string) => new URL(url).pathname;
  return {
    url: () => `http://127.0.0.1:${String(port)}/callback/${String((used += 1))}`,
    received: async (url) => {
      const path = pathOf(url);
      const [first] = bodies.get(path) ?? [];
      return first ?? new Promise((resolve) => waiting.set(path, resolve));
    },
    total: () => [...bodies.values()].flat().length,
    distinct: () => bodies.size,
    count: (url) => bodies.get(pathOf(url))?.length ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
