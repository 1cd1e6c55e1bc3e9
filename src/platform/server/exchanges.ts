import { channel } from 'node:diagnostics_channel';
import type { FastifyRequest } from 'fastify';
import type { Json, JsonObject } from '../../model/json.js';
import type { EndpointName } from '../../protocol/endpoint.js';

/** What a request carried, before anything was made of it. */
export type Sent =
  | { readonly type: 'none' }
  | { readonly type: 'json'; readonly body: JsonObject }
  | {
      readonly type: 'form';
      /** Names as they travelled (`a[b]`, `x[0]`). */
      readonly fields: readonly (readonly [name: string, value: string])[];
      /** Form fields of the files, without a trailing `[]`. */
      readonly files: readonly string[];
    };

/** One request of the service and its answer. No headers: no credentials are in it; personal data may be. */
export interface Exchange {
  readonly endpoint: EndpointName;
  readonly query: Readonly<Record<string, unknown>>;
  readonly sent: Sent;
  readonly status: number;
  /** The whole answer, envelope and all. */
  readonly body: Json;
}

/** Name of the `node:diagnostics_channel` on which every {@link Exchange} is published while somebody listens. */
const CHANNEL = 'windlass.platform.exchange';

const exchanges = channel(CHANNEL);
const sent = new WeakMap<FastifyRequest, Sent>();
const untold = new WeakSet<FastifyRequest>();

/** Keeps an exchange from observers: what a fault answers is not what the service says. */
export function leaveUntold(request: FastifyRequest): void {
  untold.add(request);
}

/** Remembers what a request carried, for observers. */
export function noteSent(request: FastifyRequest, what: Sent): void {
  if (exchanges.hasSubscribers) sent.set(request, what);
}

/** Tells observers of an exchange. Costs nothing when there are none. */
export function tellExchange(
  endpoint: EndpointName,
  request: FastifyRequest,
  answer: Pick<Exchange, 'status' | 'body'>,
): void {
  if (!exchanges.hasSubscribers || untold.has(request)) return;
  const query = request.query as Exchange['query'];
  const exchange: Exchange = { endpoint, query, sent: sent.get(request) ?? { type: 'none' }, ...answer };
  exchanges.publish(exchange);
}
