import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.js';
import { openIpc } from '../../src/platform/chain/node/ipc.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** A node that says what it is told to: gets each message as it came, and the connection to answer on. */
async function nodeThat(answer: (message: Json, socket: Socket) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'node-'));
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (text + piece).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) answer(JSON.parse(line) as Json, socket);
    });
    socket.on('error', () => undefined);
  });
  const path = join(folder, 's');
  server.listen(path);
  await once(server, 'listening');
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return path;
}

const resultOf = (message: Json): Json => {
  const one = (call: Json): JsonObject => {
    if (!isJsonObject(call)) throw new Error('no call');
    return { jsonrpc: '2.0', id: call['id'] ?? null, result: call['params'] ?? null };
  };
  return Array.isArray(message) ? (message as readonly Json[]).map(one) : one(message);
};

describe('a connection to a node over its socket', () => {
  it('gives every question its own answer, in whatever order and pieces the answers come', async () => {
    const order = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    const questions = fc.array(fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 4 })), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(questions, order, cuts, async (asked, ranks, sizes) => {
        const held: { readonly text: string; readonly socket: Socket; readonly rank: number }[] = [];
        const path = await nodeThat((message, socket) => {
          held.push({
            text: `${JSON.stringify(resultOf(message))}\n`,
            socket,
            rank: ranks[held.length % ranks.length] ?? 0,
          });
          if (held.length < asked.filter((one) => typeof one === 'string' || one.length > 0).length) return;
          for (const one of held.toSorted((a, b) => a.rank - b.rank)) {
            const bytes = Buffer.from(one.text);
            for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
              const size = sizes[piece % sizes.length] ?? 1;
              one.socket.write(bytes.subarray(at, at + size));
              at += size;
            }
          }
        });
        const rpc = await openIpc(path, 5000, 2);
        const answers = await Promise.all(
          asked.map(async (one) =>
            typeof one === 'string'
              ? rpc.request('echo', [one])
              : (await rpc.batch(one.map((text) => ['echo', [text]] as const))).map(
                  (answer) => answer.ok && answer.result,
                ),
          ),
        );
        expect(answers).toEqual(
          asked.map((one) => (typeof one === 'string' ? [one] : one.map((text) => [text]))),
        );
        await rpc.close();
      }),
      { numRuns: 25 },
    );
  });

  it('fails what waits when the node goes away, and everything that is asked later', async () => {
    const path = await nodeThat((_message, socket) => socket.destroy());
    const rpc = await openIpc(path, 5000, 1);
    await expect(rpc.request('eth_chainId', [])).rejects.toMatchObject({ name: 'ChainError' });
    await expect(rpc.request('eth_chainId', [])).rejects.toMatchObject({ name: 'ChainError' });
    await rpc.close();
  });

  it('waits for an answer no longer than it has patience, and does not mistake it for a later one', async () => {
    const late: (() => void)[] = [];
    const path = await nodeThat((message, socket) => {
      const tell = (): void => void socket.write(`${JSON.stringify(resultOf(message))}\n`);
      if (JSON.stringify(message).includes('slow')) late.push(tell);
      else {
        for (const one of late.splice(0)) one();
        tell();
      }
    });
    const rpc = await openIpc(path, 100, 1);
    await expect(rpc.request('echo', ['slow'])).rejects.toMatchObject({ message: /in time/ });
    expect(await rpc.request('echo', ['quick'])).toEqual(['quick']);
    await rpc.close();
  });

  it('ends at once a node that answers no JSON', async () => {
    const path = await nodeThat((_message, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const rpc = await openIpc(path, 5000, 1);
    await expect(rpc.request('eth_chainId', [])).rejects.toMatchObject({ message: /no JSON/ });
    await rpc.close();
  });

  it('is not made to what nobody listens on, and leaves nothing open', async () => {
    await expect(openIpc(join(tmpdir(), 'nobody-listens'), 100)).rejects.toThrow();
  });

  it('ends after the answers that are on their way', async () => {
    let tell = (): void => undefined;
    const path = await nodeThat((message, socket) => {
      tell = () => void socket.write(`${JSON.stringify(resultOf(message))}\n`);
    });
    const rpc = await openIpc(path, 5000, 1);
    const asked = rpc.request('echo', ['last']);
    const closed = rpc.close();
    await expect.poll(() => tell.name).toBe('tell');
    setTimeout(() => tell(), 20);
    expect(await asked).toEqual(['last']);
    await closed;
  });
});
