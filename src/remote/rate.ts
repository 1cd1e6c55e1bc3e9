import { setMaxListeners } from 'node:events';
import type { Clock } from '../execute/ports.js';
import type { Environment } from '../model/environment.js';

/** Slack for the coarseness of both clocks, in milliseconds. */
const MARGIN_MS = 50;

/** Who is served first when requests have to wait. */
export type Urgency = 'write' | 'read';

/** Lets requests pass so that the service never sees more of them than its limit. */
export interface RateLimiter {
  /**
   * Waits for a turn. Call the result once, when the response has come or cannot come any more.
   *
   * @throws when the signal fires first; nothing may be sent then
   */
  readonly acquire: (urgency: Urgency, signal?: AbortSignal) => Promise<() => void>;
  /** Lets nothing pass for this long: the service asked for it (`Retry-After`). */
  readonly pause: (ms: number) => void;
}

/**
 * A limiter for `rate_limit` of an environment; without one it only honours pauses.
 *
 * A sliding window, counted from the *end* of each exchange: a request arrives somewhere between its sending and
 * its answer, so two arrivals that are `requests` apart are never closer than the window, however the network
 * delays them and whatever window the service uses. Other processes with the same credentials are not counted.
 */
export function openRateLimiter(limit: Environment['rateLimit'], clock: Clock): RateLimiter {
  const waiting = { write: [] as (() => void)[], read: [] as (() => void)[] };
  /** Times from which a used place may be used again, ascending. */
  const usableFrom: number[] = [];
  let inFlight = 0;
  let pausedUntil = 0;
  let sleeping = false;

  const release = (): void => {
    inFlight -= 1;
    if (limit) usableFrom.push(clock.nowMs() + limit.windowMs + MARGIN_MS);
    serve();
  };

  /** Milliseconds until the next request may pass; undefined: when one in flight has ended. */
  const waitMs = (now: number): number | undefined => {
    while ((usableFrom[0] ?? Infinity) <= now) usableFrom.shift();
    const paused = Math.max(0, pausedUntil - now);
    if (!limit || inFlight + usableFrom.length < limit.requests) return paused;
    const first = usableFrom[0];
    return first === undefined ? undefined : Math.max(paused, first - now);
  };

  const wakeAfter = async (ms: number): Promise<void> => {
    await clock.sleep(ms);
    sleeping = false;
    serve();
  };

  const serve = (): void => {
    while (!sleeping && waiting.write.length + waiting.read.length > 0) {
      const wait = waitMs(clock.nowMs());
      if (wait === undefined) return;
      if (wait > 0) {
        sleeping = true;
        void wakeAfter(wait);
        return;
      }
      inFlight += 1;
      (waiting.write.shift() ?? waiting.read.shift())?.();
    }
  };

  /** True when a request may pass without having waited: the rule where nothing is limited. */
  const isFree = (): boolean =>
    !sleeping && waiting.write.length + waiting.read.length === 0 && waitMs(clock.nowMs()) === 0;

  return {
    acquire: (urgency, signal) => {
      if (signal?.aborted !== true && isFree()) {
        inFlight += 1;
        return Promise.resolve(once(release));
      }
      const turn = inLine(waiting[urgency], signal).then(() => once(release));
      serve();
      return turn;
    },
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, clock.nowMs() + ms);
    },
  };
}

/** Waits in a line; rejects when the signal fires first. */
function inLine(line: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      const place = line.indexOf(enter);
      if (place >= 0) line.splice(place, 1);
      reject(new Error('the run was stopped before its turn came'));
    };
    const enter = (): void => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    if (signal?.aborted === true) return leave();
    // One listener for each that waits, and as many as steps in flight: no leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', leave, { once: true });
    line.push(enter);
  });
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
