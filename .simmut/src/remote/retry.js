import pRetry from 'p-retry';
import { WindlassError, invariant } from '../model/error.js';
import { retryAfterOf } from './classify.js';
/** About ten seconds of patience, beside what the service itself asks for with `Retry-After`. */
export const DEFAULT_RETRY = { retries: 4, firstWaitMs: 300, longestWaitMs: 5000 };
/** A longer `Retry-After` ends the read instead of hanging the run. */
const LONGEST_PAUSE_MS = 300_000;
/** Least pause after a 429 that names no time. */
const UNNAMED_PAUSE_MS = 1000;
/**
 * Sends a read until a response comes that is neither 429 nor 5xx. For reads only: it repeats what broke.
 *
 * @returns the response, also the last 5xx when patience is out
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED; REMOTE_ANSWER for an answer that is too long
 */
export async function readWithRetry(attempt, policy) {
    let last;
    try {
        return await pRetry(async () => {
            last = await attempt.send();
            const failure = failureOf(last, attempt);
            if (failure !== undefined)
                throw failure;
            invariant(last.type === 'response', 'a broken exchange is no answer');
            return last;
        }, {
            retries: policy.retries,
            minTimeout: policy.firstWaitMs,
            maxTimeout: policy.longestWaitMs,
            randomize: true,
            signal: attempt.signal,
            shouldRetry: ({ error }) => !(error instanceof WindlassError) || isTransient(error, last),
        });
    }
    catch (error) {
        if (last?.type === 'response' && last.status >= 500)
            return last;
        throw error;
    }
}
function isTransient(error, last) {
    if (error.code === 'REMOTE_UNREACHABLE')
        return true;
    if (error.code !== 'REMOTE_RATE_LIMITED' || last?.type !== 'response')
        return false;
    return error.cause !== 'too long';
}
/** The error of a try that is no answer, or undefined when it is one. */
function failureOf(exchange, attempt) {
    const { name } = attempt;
    if (exchange.type === 'broken') {
        const code = exchange.tooLong ? 'REMOTE_ANSWER' : 'REMOTE_UNREACHABLE';
        return new WindlassError(code, `${name}: ${exchange.message}`);
    }
    if (exchange.status !== 429 && exchange.status < 500)
        return undefined;
    const asked = retryAfterOf(exchange, attempt.nowMs());
    const limited = exchange.status === 429;
    const pauseMs = asked ?? (limited ? UNNAMED_PAUSE_MS : 0);
    attempt.pause(Math.min(pauseMs, LONGEST_PAUSE_MS));
    if (!limited)
        return new WindlassError('REMOTE_UNREACHABLE', `${name}: HTTP ${exchange.status}`);
    return new WindlassError('REMOTE_RATE_LIMITED', `${name}: HTTP 429, asked to wait ${pauseMs} ms`, {
        ...(pauseMs > LONGEST_PAUSE_MS && { cause: 'too long' }),
    });
}
