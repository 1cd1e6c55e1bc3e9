import { randomInt } from 'node:crypto';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import type { Clock } from '../execute/ports.js';
import { jsonOf } from './classify.js';
import { openTransport, type HttpRequest, type Transport, type TransportOptions } from './exchange.js';
import { openRateLimiter } from './rate.js';
import { cleanMessage } from './redact.js';
import { DEFAULT_RETRY, readWithRetry, type RetryPolicy } from './retry.js';
import { signed } from './signed.js';
import type { RequestTracer } from './tracing.js';

/** Most calls in one batch: what foreign nodes take (stack §1). */
const BATCH_CALLS = 50;

/** Longest answer to a batch. */
const MAX_BYTES = 64_000_000;

/** A node of the chain, for reads. */
export interface Rpc {
  /**
   * Calls a method that changes nothing. Calls of one tick travel in batches.
   *
   * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED; REMOTE_ANSWER when the node answers with an error or with
   * something that is not JSON-RPC
   */
  call(method: string, params: readonly Json[]): Promise<Json>;
  close(): Promise<void>;
}

interface PendingCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly Json[];
  resolve(result: Json): void;
  reject(error: unknown): void;
}

/** Opens a node by its JSON-RPC address. The address may hold a key: it appears in no message. */
export function openRpc(options: {
  readonly url: string;
  readonly clock: Clock;
  readonly retry?: RetryPolicy;
  /** Follows every request; told no path, which may hold a key. */
  readonly trace?: RequestTracer;
  /** Which hosts may be reached in the clear; absent: this machine alone. */
  readonly permissions?: TransportOptions['permissions'];
  /** More headers, for a node that asks for a key. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
  /** Its answers bear the signs of their requests. */
  readonly signs?: boolean;
}): Rpc {
  const url = new URL(options.url);
  const transport = transportTo(url, options);
  const limiter = openRateLimiter(undefined, options.clock);
  const ending = new AbortController();
  let queued: PendingCall[] = [];
  // No two processes count alike: an answer to another one's call is none.
  let nextId = randomInt(2 ** 40);

  const asked = { who: 'The RPC node', origin: url.origin, setting: 'rpc_url' };
  let hasAnswered = false;
  const post = async (payload: Json): Promise<Json | undefined> => {
    const headers = (await options.headers?.()) ?? {};
    const response = await readWithRetry(
      {
        asked,
        name: 'calls',
        hasAnswered,
        send: async () => {
          (await limiter.acquire('read'))();
          return transport.exchange(requestTo(url, headers, payload), false);
        },
        pause: (ms) => limiter.pause(ms),
        nowMs: () => options.clock.nowMs(),
        signal: ending.signal,
      },
      options.retry ?? DEFAULT_RETRY,
    );
    hasAnswered = true;
    return jsonOf(response);
  };

  const flush = (): void => {
    const calls = queued;
    queued = [];
    for (let start = 0; start < calls.length; start += BATCH_CALLS) {
      void settleBatch(calls.slice(start, start + BATCH_CALLS), post);
    }
  };

  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (queued.length === 0) setImmediate(flush);
        queued.push({ id: nextId++, method, params, resolve, reject });
      }),
    close: async () => {
      ending.abort();
      await transport.close();
    },
  };
}

function transportTo(
  { origin }: URL,
  { trace, permissions, signs }: Pick<Parameters<typeof openRpc>[0], 'trace' | 'permissions' | 'signs'>,
): Transport {
  const unsigned = openTransport(origin, {
    ...(permissions && { permissions }),
    ...(trace && { trace: (request) => trace({ ...request, path: '' }) }),
  });
  return signs === true ? signed(unsigned) : unsigned;
}

function requestTo(url: URL, headers: HttpRequest['headers'], payload: Json): HttpRequest {
  return {
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: { bytes: Buffer.from(JSON.stringify(payload)) },
    maxBytes: MAX_BYTES,
  };
}

type Post = (payload: Json) => Promise<Json | undefined>;

async function settleBatch(calls: readonly PendingCall[], post: Post): Promise<void> {
  const [only] = calls;
  try {
    const body = await post(calls.length === 1 && only ? requestOf(only) : calls.map(requestOf));
    if (calls.length > 1 && !Array.isArray(body)) {
      // A node that takes no batches answers with one error object.
      await Promise.all(calls.map((call) => settleBatch([call], post)));
      return;
    }
    const answers = Array.isArray(body) ? (body as readonly Json[]) : [body ?? null];
    for (const call of calls) settleCall(call, answers);
  } catch (error) {
    for (const call of calls) call.reject(error);
  }
}

function requestOf({ id, method, params }: PendingCall): Json {
  return { jsonrpc: '2.0', id, method, params };
}

function settleCall(call: PendingCall, answers: readonly Json[]): void {
  const answer = answers.find((item) => member(item, 'id') === call.id);
  const result = member(answer, 'result');
  if (isJsonObject(answer) && result !== undefined && member(answer, 'error') == null) {
    call.resolve(result);
    return;
  }
  const told = textMember(member(answer, 'error'), 'message') ?? 'no answer to this call';
  call.reject(new WindlassError('REMOTE_ANSWER', `${call.method}: ${cleanMessage(told, [])}`));
}
