import type { FastifyInstance, FastifyRequest } from 'fastify';
import { QUOTAS, type Quotas } from '../admission/quotas.js';
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

/** What a platform does at a time, by metric. */
export type Load = Readonly<Record<'requests' | 'bytes' | 'calls', () => number>>;

const LOADS: Readonly<Record<keyof Load, readonly [name: string, help: string]>> = {
  requests: ['windlass_requests_running', 'Requests under way'],
  bytes: ['windlass_body_bytes_held', 'Bytes of request bodies in memory'],
  calls: ['windlass_calls_running', 'Calls of tenants that run on the node of the chain'],
};

/** What is measured. */
export interface MetricParts {
  readonly reader: Reader;
  /** Hook that lets the operator in; undefined: the address is open. */
  readonly admit: ((request: FastifyRequest) => Promise<void>) | undefined;
  readonly quotas: Quotas;
  readonly load: Load;
}

/**
 * Answers `GET /metrics` in the text format of Prometheus: requests by route and status with their times, the process,
 * what waits, and how much of its quotas each organisation has used. Routes are told by their pattern, so that no id and
 * no name of a person is in it.
 */
export async function mountMetrics(server: FastifyInstance, of: MetricParts): Promise<void> {
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
  for (const [of_, [name, help]] of Object.entries(LOADS)) {
    const gauge: { set(value: number): void } = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => gauge.set(of.load[of_ as keyof Load]()),
    });
  }
  const used: QuotaGauge = new Gauge({
    name: 'windlass_quota_used',
    help: 'How much an organisation has of what there is a quota of',
    labelNames: ['organisation', 'quota'],
    registers: [registry],
    collect: () => tellUse(of.reader, used),
  });
  const limits: QuotaGauge = new Gauge({
    name: 'windlass_quota_limit',
    help: 'How much one organisation may have; absent: any number',
    labelNames: ['quota'],
    registers: [registry],
    collect: () => {
      for (const quota of QUOTAS)
        if (of.quotas.limit(quota) !== Infinity) limits.set({ quota }, of.quotas.limit(quota));
    },
  });
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

interface QuotaGauge {
  set(labels: Readonly<Record<string, string>>, value: number): void;
  reset(): void;
}

async function tellUse(reader: Reader, gauge: QuotaGauge): Promise<void> {
  const rows = await reader.all<{ org: string; quota: string; used: number }>(
    'SELECT org, quota, used FROM quota_use ORDER BY org, quota',
  );
  gauge.reset();
  for (const { org: organisation, quota, used } of rows) gauge.set({ organisation, quota }, used);
}
