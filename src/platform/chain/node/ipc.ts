import { createConnection, type Socket } from 'node:net';
import { member, type Json } from '../../../model/json.js';
import { ChainError } from '../chain.js';
import { answerOf, answersOf, type Rpc, type RpcAnswer } from '../rpc.js';

/** Connections to a node: it works on what comes over one of them in one thread. */
const CONNECTIONS = 4;

/** Code of JSON-RPC for a limit (EIP-1474). */
const LIMIT_EXCEEDED = -32_005;

/** Largest answer in bytes unless a smaller one is asked for: a text can be no larger than twice as much. */
const LARGEST_ANSWER = 256_000_000;

/** Bytes of one message: the node looks through what it has of it at each piece, so its time grows with the square. */
const MESSAGE_BYTES = 256_000;

/**
 * Connects to a node over its socket or named pipe, at once and once for all: who has no connection by then does not
 * need the socket's name any more. Answers come in any order.
 *
 * @param patience how long an answer may take, in milliseconds
 * @param largestAnswer in bytes; a question with a larger one fails
 * @throws Error of the system when nothing listens there
 */
export async function openIpc(
  path: string,
  patience: number,
  connections = CONNECTIONS,
  largestAnswer = LARGEST_ANSWER,
): Promise<Rpc> {
  const opened = await Promise.allSettled(Array.from({ length: connections }, () => connect(path)));
  const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = opened.find((one) => one.status === 'rejected');
  if (refused) {
    for (const socket of sockets) socket.destroy();
    throw refused.reason;
  }
  const lines = sockets.map((socket) => new Line(socket, patience, largestAnswer));
  let last = 0;
  const ask = (calls: readonly Call[], pack: (messages: readonly Json[]) => Json): Promise<unknown> => {
    const first = last + 1;
    last += calls.length;
    const messages = calls.map(([method, params], at) => ({
      jsonrpc: '2.0',
      id: first + at,
      method,
      params,
    }));
    const line = lines.reduce((least, one) => (one.waiting < least.waiting ? one : least));
    return line.ask(first, pack(messages));
  };
  const askAll = async (calls: readonly Call[]): Promise<readonly RpcAnswer[]> => {
    const first = last + 1;
    return answersOf(
      await ask(calls, (messages) => messages),
      calls.map((_, at) => first + at),
    );
  };
  let leaving: NodeJS.Timeout | undefined;
  const closeAll = (why: string): void => {
    for (const line of lines) line.close(new ChainError(why));
  };
  return {
    request: async (method, params) => {
      const answer = answerOf(await ask([[method, params]], ([message = null]) => message));
      if (!answer.ok) throw answer.error;
      return answer.result;
    },
    batch: async (calls) => {
      const answers: RpcAnswer[] = [];
      // One after the other: what is sent first counts as first.
      for (const part of partsOf(calls)) answers.push(...(await askAll(part)));
      return answers;
    },
    leave: (within) => {
      leaving ??= setTimeout(closeAll, within, 'the node did not answer before the platform ended');
    },
    close: async () => {
      await Promise.all(lines.map((line) => line.idle()));
      clearTimeout(leaving);
      closeAll('the connection to the node is closed');
    },
  };
}

type Call = readonly [method: string, params: readonly Json[]];

function connect(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Calls cut into messages of {@link MESSAGE_BYTES} at most, except where one alone is larger. */
function partsOf(calls: readonly Call[]): readonly (readonly Call[])[] {
  const parts: Call[][] = [];
  let room = 0;
  for (const call of calls) {
    // Nearly all of a large call is hex text in its first parameter.
    const [first] = call[1];
    const size = (typeof first === 'string' ? first.length : 0) + 200;
    const part = parts.at(-1);
    if (part && size <= room) part.push(call);
    else parts.push([call]);
    room = (part && size <= room ? room : MESSAGE_BYTES) - size;
  }
  return parts;
}

/** One question under way. */
interface Asked {
  readonly answered: (body: unknown) => void;
  readonly failed: (cause: ChainError) => void;
  readonly timer: NodeJS.Timeout;
}

/** One connection: a message goes out as JSON, its answer comes back as one line, in any order. */
class Line {
  readonly #socket: Socket;
  readonly #asked = new Map<number, Asked>();
  readonly #patience: number;
  readonly #largest: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #gone: ChainError | undefined;
  #idle: (() => void)[] = [];

  constructor(socket: Socket, patience: number, largest: number) {
    this.#socket = socket;
    this.#patience = patience;
    this.#largest = largest;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end(new ChainError('the connection to the node is gone')));
  }

  get waiting(): number {
    return this.#asked.size;
  }

  /** @param id of the message, or of the first of its batch */
  ask(id: number, message: Json): Promise<unknown> {
    return new Promise((answered, failed) => {
      if (this.#gone) return failed(this.#gone);
      const late = (): void => {
        this.#asked.delete(id);
        failed(new ChainError('the node did not answer in time'));
        this.#settle();
      };
      // A timer would not keep the process alive for longer than the socket does.
      const timer = setTimeout(late, this.#patience).unref();
      this.#asked.set(id, { answered, failed, timer });
      this.#socket.write(`${JSON.stringify(message)}\n`);
    });
  }

  /** Done when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#asked.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  close(why: ChainError): void {
    this.#end(why);
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    let rest = piece;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const isWhole = this.#heldBytes + end <= this.#largest;
      const line = isWhole ? Buffer.concat([...this.#held, rest.subarray(0, end)]).toString('utf8') : '';
      if (!isWhole) this.#failAll(new ChainError('the answer of the node is too large', LIMIT_EXCEEDED));
      this.#held = [];
      this.#heldBytes = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== '') this.#tell(line);
    }
    this.#heldBytes += rest.length;
    // What is too large is read to its end, and not kept.
    if (rest.length > 0 && this.#heldBytes <= this.#largest) this.#held.push(rest);
  }

  #tell(line: string): void {
    let body: unknown;
    try {
      body = JSON.parse(line);
    } catch {
      return this.close(new ChainError('the node answers no JSON'));
    }
    const id = member(Array.isArray(body) ? (body as readonly unknown[])[0] : body, 'id');
    const asked = typeof id === 'number' ? this.#asked.get(id) : undefined;
    // What came too late is for nobody.
    if (typeof id !== 'number' || !asked) return;
    clearTimeout(asked.timer);
    this.#asked.delete(id);
    asked.answered(body);
    this.#settle();
  }

  #settle(): void {
    if (this.#asked.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #end(why: ChainError): void {
    this.#gone ??= why;
    this.#failAll(this.#gone);
  }

  #failAll(why: ChainError): void {
    for (const { failed, timer } of this.#asked.values()) {
      clearTimeout(timer);
      failed(why);
    }
    this.#asked.clear();
    this.#settle();
  }
}
