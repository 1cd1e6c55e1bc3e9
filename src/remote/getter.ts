import { withMembers } from '../model/json.js';
import { SETTLED } from '../protocol/settled.js';
import type { Access } from './access.js';
import type { Exchange, HttpResponse, Transport } from './exchange.js';
import type { RateLimiter } from './rate.js';
import { readWithRetry, type Asked, type RetryPolicy } from './retry.js';

/** What GETs go through. */
export interface GetterParts {
  readonly access: Access;
  readonly asked: Asked;
  readonly limiter: RateLimiter;
  readonly transport: Transport;
  readonly nowMs: () => number;
  readonly retry: RetryPolicy;
  /** Gives up what still waits. */
  readonly signal: AbortSignal;
}

/** What a cache kept tells neither what was there before a write nor what came of it. */
const NOW = { 'cache-control': 'no-cache' } as const;
const SETTLED_NOW = { ...NOW, [SETTLED]: '1' } as const;

/**
 * Gets a path, repeated as reads may be. `settled`: as {@link SETTLED} says.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, SECRET_MISSING; REMOTE_ANSWER when it is longer than `maxBytes`
 */
export type Getter = (
  path: string,
  how: { readonly maxBytes: number; readonly settled: boolean },
) => Promise<HttpResponse>;

/** Opens the one way of GETs to the service. */
export function openGetter({ access, asked, limiter, transport, nowMs, retry, signal }: GetterParts): Getter {
  let hasAnswered = false;
  return async (path, { maxBytes, settled }) => {
    const headers = withMembers(await access.headers(), settled ? SETTLED_NOW : NOW);
    const send = async (): Promise<Exchange> => {
      const release = await limiter.acquire('read');
      try {
        return await transport.exchange({ method: 'GET', path, headers, maxBytes }, false);
      } finally {
        release();
      }
    };
    const name = `GET ${path.split('?')[0]}`;
    const attempt = { asked, name, hasAnswered, send, pause: limiter.pause, nowMs, signal };
    const response = await readWithRetry(attempt, retry);
    hasAnswered = true;
    return response;
  };
}
