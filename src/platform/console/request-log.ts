import type { FastifyInstance, FastifyRequest } from 'fastify';
import { textMember, type Json } from '../../model/json.js';
import { timestampOf } from '../state/timestamp.js';
import { isFromConsole } from './sessions.js';
import type { RequestItem } from './shapes.js';

/** Requests that are remembered for each organisation. */
const CAPACITY = 300;

/** Organisations that are remembered at a time; the one that was quiet longest goes first. */
const ORGANISATIONS = 200;

/** What a request log depends on. */
export interface RequestLogParts {
  /** Whose a request is; undefined: nobody's, and it is not remembered. */
  readonly whose: (request: FastifyRequest) => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The newest requests of each organisation, in memory: method, path, status, time and what a refusal said; no header,
 * query or body. What the console itself asks is not among them.
 */
export class RequestLog {
  readonly #parts: RequestLogParts;
  readonly #items = new Map<string, RequestItem[]>();
  readonly #messages = new WeakMap<FastifyRequest, string>();
  #last = 0;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
  }

  /** Begins to remember what a server answers. */
  watch(server: FastifyInstance): void {
    server.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode >= 400 && typeof payload === 'string')
        this.#messages.set(request, messageOf(payload));
      return payload;
    });
    server.addHook('onResponse', async (request, reply) => {
      if (/^\/(api\/|rpc\b)/.test(request.url) && !isFromConsole(request)) {
        this.#add(request, reply.statusCode, reply.elapsedTime);
      }
    });
  }

  /** The requests of an organisation, newest first. */
  list(org: string): readonly RequestItem[] {
    return [...(this.#items.get(org) ?? [])].reverse();
  }

  #add(request: FastifyRequest, status: number, elapsed: number): void {
    const org = this.#parts.whose(request);
    if (org === undefined) return;
    const [path = ''] = request.url.split('?');
    const items = this.#items.get(org) ?? [];
    this.#items.delete(org);
    items.push({
      id: (this.#last += 1),
      at: timestampOf(this.#parts.now()),
      method: request.method,
      path: path.slice(0, 300),
      status,
      ms: Math.round(elapsed * 10) / 10,
      message: this.#messages.get(request) ?? '',
    });
    if (items.length > CAPACITY) items.shift();
    this.#items.set(org, items);
    const [oldest] = this.#items.keys();
    if (this.#items.size > ORGANISATIONS && oldest !== undefined) this.#items.delete(oldest);
  }
}

function messageOf(payload: string): string {
  try {
    return (textMember(JSON.parse(payload) as Json, 'message') ?? '').slice(0, 300);
  } catch {
    return '';
  }
}
