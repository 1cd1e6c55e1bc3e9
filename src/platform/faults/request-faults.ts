import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../model/json.js';
import type { EndpointName } from '../../protocol/endpoint.js';
import { ServiceError, type Call } from '../handlers/handler.js';
import { leaveUntold } from '../server/exchanges.js';
import { Busy } from '../admission/refusals.js';
import type { RequestEvent } from './decide.js';
import type { Faults } from './faults.js';
import type { RequestFault, Slow } from './rules.js';

/** A request on its way through the service. */
export interface Passing {
  readonly name: EndpointName;
  readonly call: Call;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What the service says when it refuses with a status. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthenticated.',
  403: 'Forbidden.',
  404: 'Not Found',
  413: 'The form is too large.',
  415: 'Unsupported Media Type',
  422: 'The given data was invalid.',
};

const ERRORS: Readonly<Record<number, string>> = {
  500: 'Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Time-out',
};

/**
 * Does the work of a request, or lets happen to it what the faults say. The one place where a fault befalls a request:
 * after it was let in and read, before anything is done.
 *
 * @param work does it, and gives the whole answer
 */
export async function befall(
  faults: Faults,
  passing: Passing,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const fault = faults.any ? await faults.befalling(eventOf(passing)) : undefined;
  if (!fault) return work();
  if (fault.kind === 'slow') return slowly(faults, fault, work);
  leaveUntold(passing.request);
  return suffer(fault, passing.reply, work);
}

async function suffer(
  fault: Exclude<RequestFault, Slow>,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<unknown> {
  switch (fault.kind) {
    case 'refuse':
      throw new ServiceError(fault.status, fault.message ?? WORDS[fault.status] ?? 'Refused.');
    case 'too_many':
      throw new Busy(429, 'Too many requests, please try again later.', fault.after / 1000);
    case 'status':
      if (fault.committed) await done(work);
      return failed(reply, fault.code);
    case 'drop_before_commit':
      return hangUp(reply);
    case 'drop_after_commit':
      await done(work);
      return hangUp(reply);
    case 'cut_reply':
      return cut(reply, JSON.stringify(await work()));
  }
}

async function slowly(faults: Faults, { by, before }: Slow, work: () => Promise<unknown>): Promise<unknown> {
  if (before) await faults.wait(by);
  const answer = await work();
  if (!before) await faults.wait(by);
  return answer;
}

/** Does the work whose answer nobody will see, a refusal neither. */
async function done(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
  }
}

/** What a gateway says is a page; what the service itself says is JSON. */
function failed(reply: FastifyReply, code: number): FastifyReply {
  const text = ERRORS[code] ?? 'Error';
  const answer = reply.status(code);
  if (code === 500) return answer.type('application/json').send(JSON.stringify({ message: text }));
  const title = `${String(code)} ${text}`;
  return answer
    .type('text/html')
    .send(`<html><head><title>${title}</title></head><body>${title}</body></html>`);
}

/** Closes the connection without an answer. */
function hangUp(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}

/** Sends half of an answer that says how long it was to be. */
function cut(reply: FastifyReply, text: string): FastifyReply {
  const bytes = Buffer.from(text);
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    connection: 'close',
  });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
  return reply;
}

function eventOf({ name, call, request }: Passing): RequestEvent {
  return {
    type: 'request',
    org: call.org,
    of: name,
    method: request.method,
    path: request.url.split('?')[0] ?? '',
    project: call.params['projectSlug'],
    carries: (text) => holds(call.body, text),
  };
}

function holds(body: Json, text: string): boolean {
  const rest: Json[] = [body];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (typeof value === 'string' && value.includes(text)) return true;
    if (typeof value === 'object' && value !== null) rest.push(...(Object.values(value) as readonly Json[]));
  }
  return false;
}
