import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../model/json.js';
import {
  CAPABILITIES,
  ENDPOINTS,
  endpointOf,
  type Capability,
  type EndpointName,
} from '../../protocol/endpoint.js';
import type { Handlers } from '../handlers/handler.js';
import { MODULES } from '../handlers/modules.js';

/** The handlers of the core interface and of these capabilities (all of them by default). */
export function servedHandlers(capabilities: readonly Capability[] = CAPABILITIES): Handlers {
  const all = MODULES.flatMap((module) => Object.entries(module.handlers));
  const served = all.filter(([name]) => {
    const { capability } = endpointOf(name as EndpointName);
    return capability === undefined || capabilities.includes(capability);
  });
  return Object.fromEntries(served);
}

/** The capabilities of which every endpoint has a handler. */
export function capabilitiesOf(handlers: Handlers): readonly Capability[] {
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  return CAPABILITIES.filter((capability) =>
    names.every((name) => endpointOf(name).capability !== capability || handlers[name] !== undefined),
  );
}

/** What `GET /health` answers, without a key: what a client must know before it has one. */
export function mountHealth(server: FastifyInstance, health: () => JsonObject): void {
  server.route({ method: 'GET', url: '/health', handler: async () => health() });
}

/**
 * Answers `GET /ready`: 200 while the platform takes requests on, 503 with the reason once it stops or something that
 * it stands on is gone. For load balancers; {@link mountHealth} tells what it is.
 */
export function mountReady(server: FastifyInstance, reason: () => Promise<string | undefined>): void {
  server.route({
    method: 'GET',
    url: '/ready',
    handler: async (_request, reply) => {
      const why = await reason();
      return reply
        .status(why === undefined ? 200 : 503)
        .send({ ready: why === undefined, reason: why ?? null });
    },
  });
}
