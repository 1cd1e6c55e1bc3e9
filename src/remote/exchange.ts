import type { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { messageOf, WindlassError } from '../model/error.js';
import { networkFailure } from '../model/network-failure.js';
import type { StepId } from '../model/id.js';
import { withMembers } from '../model/json.js';
import { forbiddenPlainHttp, isLoopback, NOTHING_EXTRA, type Permissions } from '../model/permissions.js';
import type { RequestTracer } from './tracing.js';
import { endOfTurn } from './turn.js';

/** The base of every exchange's deadline, unless told otherwise (reliability §3.3). */
const TIMEOUT_MS = 30_000;
const MS_PER_MEGABYTE = 1000;

/** An idle connection is given up sooner than Node's servers give it up (5 s), unless the server names its own time. */
const KEEP_ALIVE_MS = 4000;

/** Bytes of a request, whole or in known length. */
export type Payload =
  | { readonly bytes: Uint8Array }
  | { readonly chunks: AsyncIterable<Uint8Array>; readonly sizeBytes: number };

/** One HTTP request to the origin of a {@link Transport}. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: Payload;
  /** Longest body of the answer. */
  readonly maxBytes: number;
  /** For traces: the attempt that it is sent for. */
  readonly step?: StepId | undefined;
}

/** A complete response. Header names are lower-case. */
export interface HttpResponse {
  readonly type: 'response';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * What came of one request. `sent: false` proves that no byte of it was handed to a socket; `tooLong` says that the
 * answer exceeded its limit, as it would again.
 */
export type Exchange =
  | HttpResponse
  | {
      readonly type: 'broken';
      readonly sent: boolean;
      readonly tooLong: boolean;
      readonly message: string;
      /** What mends it, where that is known. */
      readonly fix?: string;
      /** It would be the same at the next try. */
      readonly lasting?: boolean;
    };

/** How a transport behaves. */
export interface TransportOptions {
  /** Connections at the same time; 64 on loopback, else 16. */
  readonly maxConnections?: number;
  /** Time for an exchange beside one second for each MB sent; 30,000 ms. To connect, a third of it at most. */
  readonly timeoutMs?: number;
  /** Which hosts may be reached in the clear; absent: this machine alone. */
  readonly permissions?: Pick<Permissions, 'httpHosts'>;
  /** Follows every request; absent: nobody asked for traces. */
  readonly trace?: RequestTracer;
}

/** Connections to one origin. */
export interface Transport {
  /**
   * Sends once: no retry, no redirect. Never rejects.
   *
   * @param write true for a request with an effect, which away from loopback gets a connection of its own
   */
  exchange(request: HttpRequest, write: boolean): Promise<Exchange>;
  /** Waits for exchanges under way, then closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens connections to an origin, lazily.
 *
 * Reads keep connections alive. A write on a kept connection that the server has just closed would end ambiguous
 * (node#47130, undici#3492), so writes use a fresh connection each; on loopback there is no middlebox that drops
 * idle connections silently, undici looks for a pending FIN before it reuses one, and the saved handshakes matter
 * for thousands of mints, so there writes share the kept connections.
 *
 * @throws PLAN_URL_FORBIDDEN for plain http to another machine that the operator does not allow
 */
export function openTransport(origin: string, options: TransportOptions = {}): Transport {
  refusePlainHttp(new URL(origin), options.permissions);
  const loopback = isLoopback(new URL(origin).hostname);
  const connections = options.maxConnections ?? (loopback ? 64 : 16);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const pools = new Map<'kept' | 'fresh', Promise<Pool>>();
  const poolFor = (write: boolean): Promise<Pool> => {
    const name = write && !loopback ? 'fresh' : 'kept';
    const pool = pools.get(name) ?? openPool(origin, { connections, timeoutMs, keepAlive: name === 'kept' });
    pools.set(name, pool);
    return pool;
  };
  const { trace } = options;
  const send = async (request: HttpRequest, write: boolean): Promise<Exchange> =>
    sendOnce(await poolFor(write), request, timeoutMs);
  const sendTraced = async (
    request: HttpRequest,
    write: boolean,
    tracer: RequestTracer,
  ): Promise<Exchange> => {
    const span = tracer({ ...request, origin, write });
    const exchange = await send({ ...request, headers: { ...request.headers, ...span.headers } }, write);
    span.end(exchange);
    return exchange;
  };
  return {
    exchange: async (request, write) => {
      const exchange = await (trace ? sendTraced(request, write, trace) : send(request, write));
      await endOfTurn();
      return exchange;
    },
    close: async () => {
      await Promise.all([...pools.values()].map(async (pool) => (await pool).close()));
      // What they answered last goes on with its turn.
      await endOfTurn();
    },
  };
}

function refusePlainHttp(url: URL, permissions: TransportOptions['permissions']): void {
  const forbidden = forbiddenPlainHttp(url, { ...NOTHING_EXTRA, ...permissions });
  if (forbidden === undefined) return;
  throw new WindlassError('PLAN_URL_FORBIDDEN', forbidden.message, { advice: forbidden.fix });
}

async function openPool(
  origin: string,
  { connections, timeoutMs, keepAlive }: { connections: number; timeoutMs: number; keepAlive: boolean },
): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, {
    connections,
    pipelining: keepAlive ? 1 : 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A packet may be lost twice; who does not answer then is not there.
    connect: { timeout: timeoutMs / 3 },
    // The deadline of the whole exchange is ours, below: a byte now and then does not prolong it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function sendOnce(pool: Pool, request: HttpRequest, baseMs: number): Promise<Exchange> {
  const { payload } = request;
  const size = payload === undefined ? 0 : 'bytes' in payload ? payload.bytes.byteLength : payload.sizeBytes;
  const timeoutMs = baseMs + (size / 1_000_000) * MS_PER_MEGABYTE;
  return new Promise((resolve) => {
    const handler = collect({ timeoutMs, maxBytes: request.maxBytes }, resolve);
    pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: headersOf(request),
        body: bodyOf(payload),
      },
      handler,
    );
  });
}

/** Of bytes undici tells the length itself. */
function headersOf({ headers, payload }: HttpRequest): HttpRequest['headers'] {
  if (payload === undefined || 'bytes' in payload) return headers;
  return withMembers(headers, { 'content-length': String(payload.sizeBytes) });
}

/** undici sends any async iterable; its types name Readable only. */
function bodyOf(payload: Payload | undefined): Readable | Uint8Array | null {
  if (payload === undefined) return null;
  return 'bytes' in payload ? payload.bytes : (payload.chunks as unknown as Readable);
}

/**
 * Collects one response. `onRequestStart` is called in the tick in which the first byte is written to a connected
 * socket (undici, lib/dispatcher/client-h1.js, writeH1): it is the flag that tells `not sent` from `ambiguous`.
 */
function collect(
  limits: { readonly timeoutMs: number; readonly maxBytes: number },
  resolve: (exchange: Exchange) => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let sent = false;
  let status = 0;
  let headers: HttpResponse['headers'] = {};
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const finish = (exchange: Exchange): void => {
    clearTimeout(timer);
    resolve(exchange);
  };
  return {
    onRequestStart: (controller) => {
      // undici sends again what a dying connection left queued; nothing here may be sent twice.
      if (sent) return controller.abort(new Error('the connection closed before the request was answered'));
      sent = true;
      const seconds = Math.round(limits.timeoutMs / 1000);
      const late = (): void => controller.abort(new Error(`no complete answer within ${seconds} s`));
      timer = setTimeout(late, limits.timeoutMs);
    },
    onRequestUpgrade: (controller) => controller.abort(new Error('the service changed the protocol')),
    onResponseStart: (_, code, received) => {
      status = code;
      headers = received;
    },
    onResponseData: (controller, chunk) => {
      size += chunk.length;
      if (size > limits.maxBytes) controller.abort(new Error(`the answer exceeds ${limits.maxBytes} bytes`));
      else chunks.push(chunk);
    },
    onResponseEnd: () => finish({ type: 'response', status, headers, body: Buffer.concat(chunks) }),
    onResponseError: (_, error) => {
      const { reason, fix, lasting } = networkFailure(error) ?? { reason: reasonOf(error), lasting: false };
      const broken = { type: 'broken', sent, tooLong: size > limits.maxBytes, message: reason } as const;
      finish({ ...broken, ...(fix !== undefined && { fix }), ...(lasting && !sent && { lasting }) });
    },
  };
}

function reasonOf(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  const text = messageOf(error);
  if (text !== '') return text;
  return code ?? error.name;
}
