import type { FastifyInstance } from 'fastify';
import type { Gate } from '../admission/gate.js';

/** One line about one thing: JSON with `level`, `time` and `msg`. */
export interface Log {
  info(facts: Readonly<Record<string, unknown>>, text: string): void;
  error(facts: Readonly<Record<string, unknown>>, text: string): void;
}

/** Where the lines of a log go, one JSON text each. */
export type LogSink = (line: string) => void;

/** Members whose values never reach a line, wherever they stand: credentials, callback addresses, personal data. */
const REDACTED = [
  'client_id client_secret authorization cookie password kek key mnemonic callback_url url email ic name phone',
]
  .flatMap((names) => names.split(' '))
  .flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A log of JSON lines. */
export async function openLog(sink: LogSink): Promise<Log> {
  const { pino, stdTimeFunctions } = await import('pino');
  const redact = { paths: REDACTED, censor: '[redacted]' };
  const logger = pino({ base: null, timestamp: stdTimeFunctions.isoTime, redact }, { write: sink });
  return {
    info: (facts, text) => {
      logger.info(facts, text);
    },
    error: (facts, text) => {
      logger.error(facts, text);
    },
  };
}

/** Tells an internal error: its kind, text, code and place, and nothing else that it carries. */
export function logFailure(log: Log, cause: unknown): void {
  const { name, message, stack, code } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  log.error({ error: { type: name, message: message ?? String(cause), code, stack } }, 'internal error');
}

/** Writes one line for each answered request: route by its pattern, never an address, header or body. */
export function logRequests(server: FastifyInstance, log: Log, gate: Gate): void {
  server.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        organisation: gate.whose(request),
      },
      'request',
    );
  });
}
