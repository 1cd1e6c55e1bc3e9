import { randomUUID } from 'node:crypto';
import { withMembers } from '../model/json.js';
import { SETTLED } from '../protocol/settled.js';
import type { Access } from './access.js';
import type { Exchange, HttpResponse, Transport } from './exchange.js';
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
 * Gets a path, repeated as reads may be. `settled`: as {@link SETTLED} says; what something else on the way answered in the
 * platform's place is a bad gateway's answer.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, SECRET_MISSING; REMOTE_ANSWER when it is longer than `maxBytes`
 */
export type Getter = (
  path: string,
  how: { readonly maxBytes: number; readonly settled: boolean },
) => Promise<HttpResponse>;

/** Opens the one way of GETs to the service. */
export function openGetter({ access, limiter, transport, nowMs, retry, signal }: GetterParts): Getter {
  return async (path, { maxBytes, settled }) => {
    const own = await access.headers();
    const send = async (): Promise<Exchange> => {
      const release = await limiter.acquire('read');
      try {
        if (!settled) return await transport.exchange({ method: 'GET', path, headers: own, maxBytes }, false);
        const sign = randomUUID();
        const headers = withMembers(own, { [SETTLED]: sign, 'cache-control': 'no-cache' });
        return signed(await transport.exchange({ method: 'GET', path, headers, maxBytes }, false), sign);
      } finally {
        release();
      }
    };
    const name = `GET ${path.split('?')[0]}`;
    return readWithRetry({ name, send, pause: limiter.pause, nowMs, signal }, retry);
  };
}

/** An answer, unless it says something and is not the platform's. */
function signed(answer: Exchange, sign: string): Exchange {
  if (answer.type === 'broken' || answer.status === 429 || answer.status >= 500) return answer;
  if (answer.headers[SETTLED] === sign) return answer;
  return { type: 'response', status: 502, headers: {}, body: FOREIGN };
}

const FOREIGN = Buffer.from(
  JSON.stringify({ message: 'something on the way answered in the place of the platform' }),
);
