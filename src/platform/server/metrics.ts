import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Reader } from '../state/records.js';

/** Counts of what a platform holds, by metric: read when they are asked for. */
const COUNTS: Readonly<Record<string, readonly [help: string, sql: string]>> = {
  windlass_transactions_pending: [
    'Transactions that are accepted and not settled',
    `SELECT count(*) AS n FROM transactions WHERE status = 'pending'`,
  ],
  windlass_versions_queued: [
    'Versions that wait for the compiler',
    `SELECT count(*) AS n FROM versions WHERE status = 'compile_queued'`,
  ],
  windlass_callbacks_pending: [
    'Callbacks that nobody has acknowledged yet',
    `SELECT count(*) AS n FROM callbacks WHERE state = 'pending'`,
  ],
  windlass_blocks: ['Blocks of the embedded chain', 'SELECT count(*) AS n FROM blocks'],
  windlass_wallets: ['Custodial wallets', 'SELECT count(*) AS n FROM wallets'],
};

/**
 * Answers `GET /metrics` in the text format of Prometheus: requests by route and status with their times, the process,
 * and what waits. Routes are told by their pattern, so that no id and no name of anybody is in it.
 *
 * @param of.admit hook that lets the operator in; undefined: the address is open
 */
export async function mountMetrics(
  server: FastifyInstance,
  of: { readonly reader: Reader; readonly admit: ((request: FastifyRequest) => Promise<void>) | undefined },
): Promise<void> {
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'windlass_request_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  for (const [name, [help, sql]] of Object.entries(COUNTS)) {
    const gauge: { set(value: number): void } = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        gauge.set((await of.reader.first<{ n: number }>(sql))?.n ?? 0);
      },
    });
  }
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    requests.observe(labels, reply.elapsedTime / 1000);
  });
  server.route({
    method: 'GET',
    url: '/metrics',
    ...(of.admit && { onRequest: of.admit }),
    handler: async (_request, reply) => {
      const text = await registry.metrics();
      return reply.header('content-type', registry.contentType).send(text);
    },
  });
}
