import pRetry from 'p-retry';
import { WindlassError, invariant } from '../model/error.js';
import type { Exchange, HttpResponse } from './exchange.js';
import { retryAfterOf } from './classify.js';

/** How often and how soon a read is repeated. Each wait is doubled, and drawn between once and twice its length. */
export interface RetryPolicy {
  /** Repetitions after the first try. */
  readonly retries: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** About ten seconds of patience, beside what the service itself asks for with `Retry-After`. */
export const DEFAULT_RETRY: RetryPolicy = { retries: 4, firstWaitMs: 300, longestWaitMs: 5000 };

/** A longer `Retry-After` ends the read instead of hanging the run. */
const LONGEST_PAUSE_MS = 300_000;

/** Least pause after a 429 that names no time. */
const UNNAMED_PAUSE_MS = 1000;

/** Who is asked, as messages name it. */
export interface Asked {
  /** `The service`, `The RPC node`. */
  readonly who: string;
  /** Its address without path, query and credentials. */
  readonly origin: string;
  /** The key of the environment that names it, e.g. `base_url`; absent for the embedded platform. */
  readonly setting?: string;
}

/** Patience with whoever has not answered once yet, so that a wrong address is told soon. */
const FIRST_CONTACT_MS = 5000;

/** One try of a read that may be repeated: which exchange, and how it is called in messages. */
export interface Attempt {
  readonly asked: Asked;
  /** What is asked, e.g. `GET /api/audit/tag`. */
  readonly name: string;
  /** Whether it has answered anything before. */
  readonly hasAnswered: boolean;
  readonly send: () => Promise<Exchange>;
  /** Told how long the service wants to be left alone. */
  readonly pause: (ms: number) => void;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Sends a read until a response comes that is neither 429 nor 5xx. For reads only: it repeats what broke.
 *
 * @returns the response, also the last 5xx when patience is out
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED; REMOTE_ANSWER for an answer that is too long
 */
export async function readWithRetry(attempt: Attempt, policy: RetryPolicy): Promise<HttpResponse> {
  let last: Exchange | undefined;
  const beganMs = attempt.nowMs();
  const patient = (): boolean => attempt.hasAnswered || attempt.nowMs() - beganMs < FIRST_CONTACT_MS;
  try {
    return await pRetry(
      async () => {
        last = await attempt.send();
        const failure = failureOf(last, attempt);
        if (failure !== undefined) throw failure;
        invariant(last.type === 'response', 'a broken exchange is no answer');
        return last;
      },
      {
        retries: policy.retries,
        minTimeout: policy.firstWaitMs,
        maxTimeout: policy.longestWaitMs,
        randomize: true,
        signal: attempt.signal,
        shouldRetry: ({ error }) =>
          !(error instanceof WindlassError) || (isTransient(error, last) && (isAnswer(last) || patient())),
      },
    );
  } catch (error) {
    if (last?.type === 'response' && last.status >= 500) return last;
    throw error;
  }
}

function isAnswer(last: Exchange | undefined): boolean {
  return last?.type === 'response';
}

function isTransient(error: WindlassError, last: Exchange | undefined): boolean {
  if (error.code === 'REMOTE_UNREACHABLE') return last?.type !== 'broken' || last.lasting !== true;
  if (error.code !== 'REMOTE_RATE_LIMITED' || last?.type !== 'response') return false;
  return error.cause !== 'too long';
}

/** The error of a try that is no answer, or undefined when it is one. */
function failureOf(exchange: Exchange, attempt: Attempt): WindlassError | undefined {
  const { name, asked } = attempt;
  if (exchange.type === 'broken') {
    if (exchange.tooLong) return new WindlassError('REMOTE_ANSWER', `${name}: ${exchange.message}`);
    return unreachable(asked, exchange.message, exchange.fix);
  }
  if (exchange.status !== 429 && exchange.status < 500) return undefined;
  const wantedMs = retryAfterOf(exchange, attempt.nowMs());
  const limited = exchange.status === 429;
  const pauseMs = wantedMs ?? (limited ? UNNAMED_PAUSE_MS : 0);
  attempt.pause(Math.min(pauseMs, LONGEST_PAUSE_MS));
  if (!limited) return unreachable(asked, `it answers ${name} with HTTP ${exchange.status}`);
  return new WindlassError('REMOTE_RATE_LIMITED', `${name}: HTTP 429, asked to wait ${pauseMs} ms`, {
    ...(pauseMs > LONGEST_PAUSE_MS && { cause: 'too long' }),
  });
}

/** The error for somebody who does not answer. @param fix what mends it beside the address */
export function unreachable({ who, origin, setting }: Asked, reason: string, fix?: string): WindlassError {
  const named = setting === undefined ? '' : `, and ${setting} of the environment`;
  const check = `Check that it runs${named}; then run again.`;
  const advice = fix === undefined ? check : `${fix} Then run again.`;
  return new WindlassError('REMOTE_UNREACHABLE', `${who} at ${origin} cannot be reached: ${reason}.`, {
    advice,
  });
}
