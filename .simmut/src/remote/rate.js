import { setMaxListeners } from 'node:events';
/** Slack for the coarseness of both clocks, in milliseconds. */
const MARGIN_MS = 50;
/**
 * A limiter for `rate_limit` of an environment; without one it only honours pauses.
 *
 * A sliding window, counted from the *end* of each exchange: a request arrives somewhere between its sending and
 * its answer, so two arrivals that are `requests` apart are never closer than the window, however the network
 * delays them and whatever window the service uses. Other processes with the same credentials are not counted.
 */
export function openRateLimiter(limit, clock) {
    const waiting = { write: [], read: [] };
    /** Times from which a used place may be used again, ascending. */
    const usableFrom = [];
    let inFlight = 0;
    let pausedUntil = 0;
    let sleeping = false;
    const release = () => {
        inFlight -= 1;
        if (limit)
            usableFrom.push(clock.nowMs() + limit.windowMs + MARGIN_MS);
        serve();
    };
    /** Milliseconds until the next request may pass; undefined: when one in flight has ended. */
    const waitMs = (now) => {
        while ((usableFrom[0] ?? Infinity) <= now)
            usableFrom.shift();
        const paused = Math.max(0, pausedUntil - now);
        if (!limit || inFlight + usableFrom.length < limit.requests)
            return paused;
        const first = usableFrom[0];
        return first === undefined ? undefined : Math.max(paused, first - now);
    };
    const wakeAfter = async (ms) => {
        await clock.sleep(ms);
        sleeping = false;
        serve();
    };
    const serve = () => {
        while (!sleeping && waiting.write.length + waiting.read.length > 0) {
            const wait = waitMs(clock.nowMs());
            if (wait === undefined)
                return;
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
    const isFree = () => !sleeping && waiting.write.length + waiting.read.length === 0 && waitMs(clock.nowMs()) === 0;
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
function inLine(line, signal) {
    return new Promise((resolve, reject) => {
        const leave = () => {
            const place = line.indexOf(enter);
            if (place >= 0)
                line.splice(place, 1);
            reject(new Error('the run was stopped before its turn came'));
        };
        const enter = () => {
            signal?.removeEventListener('abort', leave);
            resolve();
        };
        if (signal?.aborted === true)
            return leave();
        // One listener for each that waits, and as many as steps in flight: no leak.
        if (signal !== undefined)
            setMaxListeners(0, signal);
        signal?.addEventListener('abort', leave, { once: true });
        line.push(enter);
    });
}
function once(action) {
    let done = false;
    return () => {
        if (!done)
            action();
        done = true;
    };
}
