import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Json } from '../../model/json.js';
import { endpointOf, type EndpointName } from '../../protocol/endpoint.js';
import { boundConnections } from '../admission/connections.js';
import type { Gate } from '../admission/gate.js';
import type { Limits } from '../admission/limits.js';
import { Busy, quotaFacts } from '../admission/refusals.js';
import { BODY_BYTES, bodyLimit } from '../bodies/body-limits.js';
import { acceptBodies } from '../bodies/parsers.js';
import { endUnread } from '../bodies/unread.js';
import type { Faults } from '../faults/faults.js';
import { befall } from '../faults/request-faults.js';
import { putsOf, servedFile } from '../files/store.js';
import { notFound, ServiceError, type Context, type Handlers, type Reply } from '../handlers/handler.js';
import { inTime } from './deadline.js';
import { tellExchange } from './exchanges.js';
import { refuseBytes } from './no-request.js';
import type { Room } from '../state/room.js';
import { factsOfRefusal } from './access/rights.js';
import { refuseForeignPages, type PageRules } from './access/web-pages.js';
import { untilSettled } from './settled.js';
import { bearSign } from './sign.js';
import { readCall } from './request.js';

/** Whether a refusal is said with the HTTP status, or in the envelope of an answer with status 200. */
export type Refusals = 'status' | 'envelope';

/** What the server is made of. */
export interface ServerParts {
  readonly context: Context;
  readonly handlers: Handlers;
  /** Admits the requests of every route that needs a key. */
  readonly gate: Gate;
  readonly limits: Pick<Limits, 'connections' | 'uploadGraceMs'>;
  /** Which web pages may ask. */
  readonly pages: PageRules;
  /** Whether anything can be recorded. */
  readonly room: Pick<Room, 'noticed' | 'fault'>;
  /** What befalls the requests of endpoints. */
  readonly faults: Faults;
  /** How the endpoints with the status envelope refuse. */
  readonly refusals: Refusals;
  /** Whether `X-Forwarded-*` headers are believed. */
  readonly trustProxy: boolean;
  /** Told of every error that is not a refusal. */
  readonly failed: (cause: unknown) => void;
}

/** How often connections are looked at that have sent no whole request, in milliseconds. */
const LOOK_MS = 2000;

/** How long an answer may wait for a client that reads nothing of it, in milliseconds. */
const UNREAD_MS = 60_000;

/** Builds the HTTP server: all endpoints of the service that have a handler, and kept files. It does not listen yet. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const server = Fastify({
    bodyLimit: BODY_BYTES,
    trustProxy: parts.trustProxy,
    // What the framework refuses by itself has the one shape, too: addresses that are none, and bytes that are no HTTP.
    frameworkErrors: (cause, request, reply) => {
      bearSign(request, reply);
      sendError(parts, cause, reply);
    },
    clientErrorHandler: refuseBytes,
    // Headers have a time; a body has a least rate.
    http: { headersTimeout: parts.limits.uploadGraceMs, connectionsCheckingInterval: LOOK_MS },
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 20_000,
    forceCloseConnections: 'idle',
    // As long as Node takes a request line: a name that is too long is one that nothing has.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    // Loading the compilers of schemas would be a fifth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
  });
  // Headers that have begun have a time of their own, which ends with an answer.
  const idleMs = parts.limits.uploadGraceMs + 2 * LOOK_MS;
  boundConnections(server.server, { connections: parts.limits.connections, idleMs });
  acceptBodies(server);
  server.setErrorHandler((cause: FastifyError | ServiceError, _request, reply) => {
    sendError(parts, cause, reply);
  });
  server.setNotFoundHandler((_request, reply) => {
    sendError(parts, notFound(), reply);
  });
  server.addHook('onRequest', async (request, reply) => bearSign(request, reply));
  parts.gate.watch(server);
  server.addHook('onSend', async (request, reply, payload) => {
    reply.raw.setTimeout(UNREAD_MS, () => request.raw.socket.destroy());
    return payload;
  });
  server.addHook('onResponse', async (request) => endUnread(request.raw));
  refuseForeignPages(server, parts.pages);
  for (const name of Object.keys(parts.handlers) as EndpointName[]) mount(server, parts, name);
  mountFiles(server, parts.context);
  return server;
}

/** Requests are read by the handlers: no route has a schema. */
function noSchema(): never {
  throw new Error('a route has a schema, and nothing compiles it');
}

function mount(server: FastifyInstance, parts: ServerParts, name: EndpointName): void {
  const { method, path, envelope, scope } = endpointOf(name);
  const handler = parts.handlers[name];
  if (!handler) return;
  server.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: bodyLimit(name),
    onRequest: parts.gate.admit(scope),
    ...(envelope === 'status' && parts.refusals === 'envelope' && { errorHandler: refuseInside(parts) }),
    preSerialization: async (request, reply, payload) => {
      const { status } = payload as { readonly status?: unknown };
      // A refusal inside the envelope is the refusal that it stands for.
      const code = typeof status === 'number' ? status : reply.statusCode;
      tellExchange(name, request, { status: code, body: payload as Json });
      return payload;
    },
    handler: async (request, reply) => {
      const call = await readCall(name, parts.gate.orgOf(request), request);
      return befall(parts.faults, { name, call, request, reply }, async () => {
        if (method === 'GET') await untilSettled(parts.context.records, call.org, request.headers);
        const puts = putsOf(parts.context.files);
        const own = { chain: parts.context.chainOf(call.org), files: puts.files };
        const context = inTime({ ...parts.context, ...own }, request.headers);
        const done = await keeping(puts, () => handler(context, call));
        return envelope === 'message' ? messageEnvelope(done) : statusEnvelope(done);
      });
    },
  });
}

/** What was put is kept when the work is done, and removed when it was refused. */
async function keeping<T>(puts: ReturnType<typeof putsOf>, work: () => Promise<T>): Promise<T> {
  let kept = false;
  try {
    const done = await work();
    kept = true;
    return done;
  } finally {
    // What stays for want of a disk that takes anything is room lost, and no reason to fail.
    await puts.end(kept).catch(() => undefined);
  }
}

function messageEnvelope({ message = 'Success', result, pagination }: Reply): Record<string, unknown> {
  return { message, result, ...(pagination && { pagination }) };
}

function statusEnvelope({ status, result, pagination }: Reply): Record<string, unknown> {
  return { status: status ?? 200, result, ...(pagination && { pagination }) };
}

function mountFiles(server: FastifyInstance, { records, files }: Context): void {
  server.get('/files/*', async (request, reply) => {
    const file = await servedFile(records, files, request.url.split('?')[0] ?? '');
    if (!file) throw notFound();
    return reply
      .header('content-type', file.contentType)
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-length', file.size)
      .send(file.stream);
  });
}

/** Answers 200 with `{status, message, errors?}`. */
function refuseInside(parts: ServerParts) {
  return (cause: FastifyError | ServiceError, _request: FastifyRequest, reply: FastifyReply): void => {
    const status = cause instanceof ServiceError ? cause.status : (cause.statusCode ?? 500);
    if (status >= 500) {
      sendError(parts, cause, reply);
      return;
    }
    const errors = cause instanceof ServiceError ? cause.errors : undefined;
    const facts = { ...factsOfRefusal(cause), ...quotaFacts(cause) };
    void reply.status(200).send({ status, message: cause.message, ...(errors && { errors }), ...facts });
  };
}

function sendError(parts: ServerParts, cause: FastifyError | ServiceError, reply: FastifyReply): void {
  if (cause instanceof ServiceError) {
    const body: Record<string, Json> = {
      message: cause.message,
      ...factsOfRefusal(cause),
      ...quotaFacts(cause),
    };
    if (cause.errors) body['errors'] = { ...cause.errors };
    // What is left of a body that comes too slowly is not waited for.
    if (cause.status === 408) void reply.header('connection', 'close');
    if (cause instanceof Busy) void reply.header('retry-after', String(cause.retryAfter));
    void reply.status(cause.status).send(body);
    return;
  }
  const status = cause.statusCode ?? 500;
  if (status < 500) {
    void reply.status(status).send({ message: cause.message });
    return;
  }
  if (parts.room.noticed(cause)) {
    sendError(
      parts,
      new Busy(503, `Nothing can be recorded at present: ${parts.room.fault ?? ''}.`, 5),
      reply,
    );
    return;
  }
  parts.failed(cause);
  void reply.status(500).send({ message: 'Server Error' });
}
