import { randomUUID } from 'node:crypto';
import { WindlassError } from '../model/error.js';
import { withMembers } from '../model/json.js';
import { SETTLED } from '../protocol/settled.js';
import type { Access } from './access.js';
import type { HttpResponse, Transport } from './exchange.js';
import type { RateLimiter } from './rate.js';
import { readWithRetry, type RetryPolicy } from './retry.js';

/** What GETs go through. */
export interface GetterParts {
  readonly access: Access;
  readonly limiter: RateLimiter;
  readonly transport: Transport;
  readonly nowMs: () => number;
  readonly retry: RetryPolicy;
  /** Gives up what still waits. */
  readonly signal: AbortSignal;
}

/**
 * Gets a path, repeated as reads may be. `settled`: as {@link SETTLED} says, and only from the platform itself.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, SECRET_MISSING; REMOTE_ANSWER when it is too long, or something else gave it
 */
export type Getter = (path: string, maxBytes: number, settled: boolean) => Promise<HttpResponse>;

/** Opens the one way of GETs to the service. */
export function openGetter({ access, limiter, transport, nowMs, retry, signal }: GetterParts): Getter {
  return async (path, maxBytes, settled) => {
    const own = await access.headers();
    let sign: string | undefined;
    const send = async (): ReturnType<Transport['exchange']> => {
      const release = await limiter.acquire('read');
      sign = settled ? randomUUID() : undefined;
      const headers = sign === undefined ? own : withMembers(own, { [SETTLED]: sign });
      try {
        return await transport.exchange({ method: 'GET', path, headers, maxBytes }, false);
      } finally {
        release();
      }
    };
    const name = `GET ${path.split('?')[0]}`;
    const response = await readWithRetry({ name, send, pause: limiter.pause, nowMs, signal }, retry);
    if (!settled || response.headers[SETTLED] === sign) return response;
    throw new WindlassError(
      'REMOTE_ANSWER',
      `${name}: something on the way answered in the platform's place`,
    );
  };
}
