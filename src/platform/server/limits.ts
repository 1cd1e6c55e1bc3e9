import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AUTH_HEADERS } from '../../protocol/endpoint.js';
import type { Scope } from '../../protocol/key.js';
import { ServiceError } from '../handlers/handler.js';
import type { Reader } from '../state/records.js';
import type { KeyUse } from './access/key-use.js';
import { findKey, keyOfPair, type KnownKey } from './access/keys.js';
import { checkRights } from './access/rights.js';

/** What one platform takes on at a time. */
export interface Limits {
  /** Requests of one organisation in a minute; undefined: any number. */
  readonly requestsPerMinute?: number;
  /** Transactions and versions that may wait before writes are refused; 20,000 by default. */
  readonly waiting?: number;
  /** Bytes of bodies being received at a time, all organisations together; 512 MB by default. */
  readonly bytesInFlight?: number;
  /** Bytes that one organisation may store in files; undefined: as many as the disk holds. */
  readonly storedBytes?: number;
}

/** A refusal that ends by itself: the answer says in how many seconds. */
export class Busy extends ServiceError {
  /** In seconds, at least 1. */
  readonly retryAfter: number;

  constructor(status: 429 | 503, message: string, retryAfter: number) {
    super(status, message);
    this.name = 'Busy';
    this.retryAfter = Math.max(1, Math.ceil(retryAfter));
  }
}

/** What the gate needs. */
export interface GateParts {
  readonly limits: Limits;
  readonly reader: Reader;
  /** Absent: nobody wants to know when keys were used. */
  readonly use?: KeyUse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The client id of a request that comes from the console, where somebody signed in. */
  readonly visitor?: (request: FastifyRequest) => string | undefined;
}

const WAITING = 20_000;
const BYTES_IN_FLIGHT = 512_000_000;

/** How long a count of what waits is good, in milliseconds: counting for every write would cost more than it saves. */
const COUNT_AGE = 250;

/** Body that is reserved for a request that does not say how long it is, in bytes. */
const UNSAID = 32_000_000;

interface Bucket {
  tokens: number;
  filled: number;
}

/** Decides, before a body is read, whose a request is and whether it is taken on. */
export class Gate {
  readonly #parts: GateParts;
  readonly #buckets = new Map<string, Bucket>();
  readonly #reserved = new WeakMap<FastifyRequest, number>();
  readonly #callers = new WeakMap<FastifyRequest, KnownKey>();
  /** Requests that ended, of which some are still being identified. */
  readonly #ended = new WeakSet<FastifyRequest>();
  #inFlight = 0;
  #counted = { at: -Infinity, waiting: 0 };

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Gives back what a request reserved, when it is answered or its connection is gone. */
  watch(server: FastifyInstance): void {
    // Whatever becomes of a request, its answer is closed once: sent, cut off, or never begun.
    server.addHook('onRequest', async (request, reply) => {
      reply.raw.once('close', () => {
        this.#ended.add(request);
        this.#inFlight -= this.#reserved.get(request) ?? 0;
        this.#reserved.delete(request);
      });
    });
  }

  /** The organisation of a request, once it is known. */
  whose(request: FastifyRequest): string | undefined {
    return this.#callers.get(request)?.org;
  }

  /** The key that opened an admitted request. @throws ServiceError 401 when it was not admitted */
  keyOf(request: FastifyRequest): KnownKey {
    const key = this.#callers.get(request);
    if (key === undefined) throw new ServiceError(401, 'Unauthenticated.');
    return key;
  }

  /** The organisation of an admitted request. @throws ServiceError 401 when it was not admitted */
  orgOf(request: FastifyRequest): string {
    return this.keyOf(request).org;
  }

  /**
   * The hook of every route of the service, before its body is read.
   *
   * @param scope that the key must have; undefined: the route itself looks what is asked for
   * @throws ServiceError 401 without a valid pair, 403 without the scope, Busy 429 over the organisation's rate, 503 when
   * too much waits
   */
  admit(scope: Scope | undefined): (request: FastifyRequest) => Promise<void> {
    const identify = this.identify(scope);
    return async (request) => {
      await identify(request);
      await this.#takeOn(request, this.orgOf(request));
    };
  }

  /**
   * The hook of the operator's routes, which must answer under load too.
   *
   * @param scope that the key must have; undefined: any key will do
   * @throws ServiceError 401 without a valid pair, 403 without the scope
   */
  identify(scope: Scope | undefined): (request: FastifyRequest) => Promise<void> {
    const { now, use } = this.#parts;
    return async (request) => {
      const caller = await this.#callerOf(request);
      if (!caller) throw new ServiceError(401, 'Unauthenticated.');
      // Known before it is refused, so that the log says whose request it was.
      this.#callers.set(request, caller);
      checkRights(caller, scope, now());
      use?.note(caller.clientId, now());
    };
  }

  /** Holds an admitted request to a scope. @throws ServiceError 403 */
  demand(request: FastifyRequest, scope: Scope): void {
    checkRights(this.keyOf(request), scope, this.#parts.now());
  }

  async #callerOf(request: FastifyRequest): Promise<KnownKey | undefined> {
    const { reader, visitor } = this.#parts;
    const { [AUTH_HEADERS.id]: id, [AUTH_HEADERS.secret]: secret } = request.headers;
    const headed = id !== undefined || secret !== undefined;
    const clientId = headed ? String(id) : visitor?.(request);
    if (clientId === undefined) return undefined;
    return headed ? keyOfPair(reader, id, secret) : findKey(reader, clientId);
  }

  async #takeOn(request: FastifyRequest, org: string): Promise<void> {
    this.#spend(org);
    if (request.method === 'GET') return;
    this.#reserve(request);
    const { waiting = WAITING } = this.#parts.limits;
    if ((await this.#countWaiting()) >= waiting) throw new Busy(503, 'Too many requests are waiting.', 5);
  }

  #spend(org: string): void {
    const { requestsPerMinute: rate } = this.#parts.limits;
    if (rate === undefined) return;
    const now = this.#parts.now();
    const bucket = this.#buckets.get(org) ?? { tokens: rate, filled: now };
    const earned = (Math.max(0, now - bucket.filled) * rate) / 60_000;
    const tokens = Math.min(rate, bucket.tokens + earned);
    this.#buckets.set(org, { tokens: Math.max(tokens - 1, Math.min(tokens, 0)), filled: now });
    if (tokens < 1)
      throw new Busy(429, 'Too many requests, please try again later.', ((1 - tokens) * 60) / rate);
  }

  #reserve(request: FastifyRequest): void {
    // Nobody would give back what is reserved for a caller who went away before he was known.
    if (this.#ended.has(request)) throw new Busy(503, 'The connection is gone.', 1);
    const { bytesInFlight = BYTES_IN_FLIGHT } = this.#parts.limits;
    const said = Number(request.headers['content-length'] ?? UNSAID);
    const bytes = Number.isSafeInteger(said) && said >= 0 ? said : UNSAID;
    // One alone is always taken on: its own limit bounds it.
    if (this.#inFlight > 0 && this.#inFlight + bytes > bytesInFlight) {
      throw new Busy(503, 'Too much is being uploaded.', 1);
    }
    this.#inFlight += bytes;
    this.#reserved.set(request, bytes);
  }

  async #countWaiting(): Promise<number> {
    const now = performance.now();
    if (now - this.#counted.at < COUNT_AGE) return this.#counted.waiting;
    this.#counted = { ...this.#counted, at: now };
    const row = await this.#parts.reader.first<{ n: number }>(
      `SELECT (SELECT count(*) FROM transactions WHERE status = 'pending')
        + (SELECT count(*) FROM versions WHERE status = 'compile_queued') AS n`,
    );
    this.#counted = { at: now, waiting: row?.n ?? 0 };
    return this.#counted.waiting;
  }
}
