import { digestOfBytes } from '../model/canonical.js';
/** Different bodies that are kept for one attempt; an honest service sends one or two. */
const MAX_BODIES = 16;
/**
 * A handover that holds arrivals for a short while until there is a receiver: callbacks are sent once by some
 * services, and a run needs a moment between opening its port and reading its journal.
 */
export function openHandover(clock, holdMs) {
    const kept = new Map();
    let receiver;
    let announce = () => undefined;
    const registered = new Promise((resolve) => {
        announce = resolve;
    });
    const hand = async ({ owner, body }) => {
        const ready = receiver ?? (await withinHold(registered));
        if (ready === undefined)
            return false;
        try {
            await ready(owner, body);
            return true;
        }
        catch {
            // Not durable, so not acknowledged: the receiver has reported its own failure.
            return false;
        }
    };
    const withinHold = async (promise) => {
        const done = new AbortController();
        const late = clock.sleep(holdMs, done.signal).then(() => undefined);
        const first = await Promise.race([promise, late]);
        done.abort();
        return first;
    };
    return {
        receive: (next) => {
            receiver = next;
            announce(next);
        },
        deliver: async (arrival) => {
            const bodies = kept.get(arrival.owner) ?? new Map();
            kept.set(arrival.owner, bodies);
            const digest = digestOfBytes(arrival.bytes);
            const earlier = bodies.get(digest);
            if (earlier)
                return earlier;
            if (bodies.size >= MAX_BODIES)
                return false;
            const delivery = hand(arrival);
            bodies.set(digest, delivery);
            const delivered = await delivery;
            if (!delivered)
                bodies.delete(digest);
            return delivered;
        },
    };
}
