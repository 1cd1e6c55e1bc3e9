import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AUTH_HEADERS } from '../../protocol/endpoint.js';
import type { Scope } from '../../protocol/key.js';
import { takeIn } from '../bodies/intake.js';
import { ServiceError } from '../handlers/handler.js';
import type { KeyUse } from '../server/access/key-use.js';
import { findKey, keyOfPair, type KnownKey } from '../server/access/keys.js';
import { checkRights } from '../server/access/rights.js';
import type { Reader } from '../state/records.js';
import { clientName } from './clients.js';
import { HeldBytes } from './held-bytes.js';
import type { Limits } from './limits.js';
import { Rates } from './rates.js';
import { Busy, tooLarge } from './refusals.js';
import { Waiting } from './waiting.js';

/** What the gate needs. */
export interface GateParts {
  readonly limits: Limits;
  readonly reader: Reader;
  /** Requests of organisations; what their calls cost the chain is charged to it, too. */
  readonly rates: Rates;
  /** Absent: nobody wants to know when keys were used. */
  readonly use?: KeyUse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The client id of a request that comes from the console, where somebody signed in. */
  readonly visitor?: (request: FastifyRequest) => string | undefined;
  /** Why nothing can be recorded at present, as far as is known; undefined when it can. */
  readonly unwritable?: () => string | undefined;
}

/** A hook before the body of a request is read. */
type Admit = (request: FastifyRequest) => Promise<void>;

/** What requests without a key may be of: health checks count apart, so that nobody's pages are in their way. */
const PROBES = new Set(['/health', '/ready']);

/**
 * Decides, before a body is read, whose a request is and whether it is taken on; every route has one of its hooks.
 * Whatever it takes on it counts: requests in a minute, requests at a time, bytes as they come.
 */
export class Gate {
  readonly #parts: GateParts;
  readonly #held: HeldBytes;
  readonly #waiting: Waiting;
  /** Requests to the operator's and the console's routes, which must answer while the service is at its rate. */
  readonly #operating: Rates;
  readonly #clients: Rates;
  readonly #hooks = new WeakSet<object>();
  readonly #keys = new WeakMap<FastifyRequest, KnownKey>();
  /** Whom each request that was taken on is counted under. */
  readonly #callers = new WeakMap<FastifyRequest, string>();
  /** Requests that ended, of which some are still being identified. */
  readonly #ended = new WeakSet<FastifyRequest>();
  readonly #running = new Map<string, number>();

  constructor(parts: GateParts) {
    const { limits, reader, now } = parts;
    this.#parts = parts;
    this.#held = new HeldBytes(limits.bytesInFlight, limits.bytesInFlightPerOrganisation);
    this.#waiting = new Waiting(reader, limits);
    this.#operating = new Rates(limits.operatorRequestsPerMinute, now);
    this.#clients = new Rates(limits.clientRequestsPerMinute, now);
  }

  /** Bytes of bodies in memory. */
  get bytesHeld(): number {
    return this.#held.total;
  }

  /** Requests under way. */
  get requestsRunning(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Stands before every route of a server; a route without a hook of the gate's is for anybody, within a client's limits. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) => {
      // Whatever becomes of a request, its answer is closed once: sent, cut off, or never begun.
      reply.raw.once('close', () => {
        this.#ended.add(request);
        this.#leave(request);
      });
      if (request.is404) this.#open(request);
    });
    server.addHook('onRoute', (route) => {
      const hooks = [route.onRequest ?? []].flat();
      if (hooks.some((hook) => this.#hooks.has(hook))) return;
      const open = async (request: FastifyRequest): Promise<void> => this.#open(request);
      route.onRequest = [open, ...hooks];
    });
    server.addHook('preParsing', async (request, reply, body) => this.#takeIn(request, reply, body));
  }

  /** The organisation of a request, once it is known. */
  whose(request: FastifyRequest): string | undefined {
    return this.#keys.get(request)?.org;
  }

  /** The key that opened an admitted request. @throws ServiceError 401 when it was not admitted */
  keyOf(request: FastifyRequest): KnownKey {
    const key = this.#keys.get(request);
    if (key === undefined) throw new ServiceError(401, 'Unauthenticated.');
    return key;
  }

  /** The organisation of an admitted request. @throws ServiceError 401 when it was not admitted */
  orgOf(request: FastifyRequest): string {
    return this.keyOf(request).org;
  }

  /**
   * The hook of every route of the service.
   *
   * @param scope that the key must have; undefined: the route itself looks what is asked for
   * @throws ServiceError 401 without a valid pair, 403 without the scope; Busy 429 over the organisation's limits, 503 when
   * too much waits or nothing can be recorded
   */
  admit(scope: Scope | undefined): Admit {
    return this.#hook(scope, this.#parts.rates);
  }

  /** The hook of the operator's and the console's routes, which have a rate of their own. See {@link Gate.admit}. */
  identify(scope: Scope | undefined): Admit {
    return this.#hook(scope, this.#operating);
  }

  /** Holds an admitted request to a scope. @throws ServiceError 403 */
  demand(request: FastifyRequest, scope: Scope): void {
    checkRights(this.keyOf(request), scope, this.#parts.now());
  }

  /** Spends more requests of an admitted one's organisation: a batch is as many as it holds. @throws Busy 429 */
  spend(request: FastifyRequest, requests: number): void {
    this.#parts.rates.spend(callerOf(this.orgOf(request)), requests);
  }

  /** True when an organisation has used more than it may: what its calls cost is known when they are done. */
  isInDebt(org: string): boolean {
    return this.#parts.rates.isInDebt(callerOf(org));
  }

  /** Whether a write may begin. @throws Busy 503 while nothing can be recorded or too much waits */
  async admitWrite(org: string): Promise<void> {
    this.#demandRoom();
    await this.#waiting.check(org);
  }

  #demandRoom(): void {
    const reason = this.#parts.unwritable?.();
    if (reason !== undefined) throw new Busy(503, `Nothing can be recorded at present: ${reason}.`, 5);
  }

  #hook(scope: Scope | undefined, rates: Rates): Admit {
    const { now, use } = this.#parts;
    const hook: Admit = async (request) => {
      const key = await this.#keyIn(request);
      if (!key) {
        this.#clients.spend(clientName(request.ip));
        throw new ServiceError(401, 'Unauthenticated.');
      }
      // Known before it is refused, so that the log says whose request it was.
      this.#keys.set(request, key);
      checkRights(key, scope, now());
      this.#enter(request, callerOf(key.org), rates);
      if (scope === 'write') await this.admitWrite(key.org);
      else if (scope === 'operate' && request.method !== 'GET') this.#demandRoom();
      use?.note(key.clientId, now());
    };
    this.#hooks.add(hook);
    return hook;
  }

  #open(request: FastifyRequest): void {
    const client = clientName(request.ip);
    const probe = PROBES.has(request.routeOptions.url ?? '');
    this.#clients.spend(probe ? `${client} probe` : client);
    this.#enter(request, client, undefined);
  }

  /** Counts a request until it is answered, or refuses it. */
  #enter(request: FastifyRequest, caller: string, rates: Rates | undefined): void {
    rates?.spend(caller);
    // Nobody would give back what is taken for a caller who went away before he was known.
    if (this.#ended.has(request)) throw new Busy(503, 'The connection is gone.', 1);
    const { bodyLimit } = request.routeOptions;
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge('body', bodyLimit);
    if (this.#callers.has(request)) return;
    const running = this.#running.get(caller) ?? 0;
    if (running >= this.#parts.limits.requestsAtATime) throw new Busy(429, 'Too many requests at a time.', 1);
    this.#running.set(caller, running + 1);
    this.#callers.set(request, caller);
  }

  #leave(request: FastifyRequest): void {
    const caller = this.#callers.get(request);
    if (caller === undefined) return;
    this.#callers.delete(request);
    const left = (this.#running.get(caller) ?? 1) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
  }

  #takeIn(request: FastifyRequest, reply: FastifyReply, body: Readable): Readable {
    const { headers } = request;
    const caller = this.#callers.get(request);
    const isEmpty =
      headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    if (isEmpty || caller === undefined) return body;
    if (this.#ended.has(request)) throw new Busy(503, 'The connection is gone.', 1);
    const { uploadGraceMs: graceMs, uploadBytesPerSecond: bytesPerSecond } = this.#parts.limits;
    const holding = this.#held.begin(caller);
    const largest = request.routeOptions.bodyLimit;
    const taken = takeIn(body, { largest, holding, graceMs, bytesPerSecond });
    reply.raw.once('close', () => {
      holding.release();
      taken.destroy();
    });
    return taken;
  }

  async #keyIn(request: FastifyRequest): Promise<KnownKey | undefined> {
    const { reader, visitor } = this.#parts;
    const { [AUTH_HEADERS.id]: id, [AUTH_HEADERS.secret]: secret } = request.headers;
    const headed = id !== undefined || secret !== undefined;
    const clientId = headed ? String(id) : visitor?.(request);
    if (clientId === undefined) return undefined;
    return headed ? keyOfPair(reader, id, secret) : findKey(reader, clientId);
  }
}

/** The name that an organisation is counted under. */
export function callerOf(org: string): string {
  return `org ${org}`;
}
