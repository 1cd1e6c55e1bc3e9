import { digestOfBytes } from '../model/canonical.js';
import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { Clock } from '../execute/ports.js';
import type { Arrival } from './listener.js';

/** Different bodies that are kept for one attempt; an honest service sends one or two. */
const MAX_BODIES = 16;

/** A body of at most so many bytes is told from others by itself, a longer one by its digest. */
const SHORT = 512;

/** A body that came, and whether it is durable by now, or ever. */
interface Kept {
  readonly name: string;
  readonly delivery: Promise<boolean>;
}

/** Takes what arrived for a step; done when it is durable. */
export type Receiver = (step: StepId, body: Json) => Promise<void>;

/** Between the listener and the one receiver. */
export interface Handover {
  /** Registers the receiver; whoever waits for one goes on. */
  readonly receive: (receiver: Receiver) => void;
  /**
   * Hands an arrival over and waits until it is durable. The same bytes again count as delivered. False: nobody
   * takes it now (no receiver in time, the receiver failed, or the attempt has too many bodies), try again later.
   */
  readonly deliver: (arrival: Arrival<StepId>) => Promise<boolean>;
}

/**
 * A handover that holds arrivals for a short while until there is a receiver: callbacks are sent once by some
 * services, and a run needs a moment between opening its port and reading its journal.
 */
export function openHandover(clock: Clock, holdMs: number): Handover {
  const kept = new Map<StepId, Kept[]>();
  let receiver: Receiver | undefined;
  let announce: (receiver: Receiver) => void = () => undefined;
  const registered = new Promise<Receiver>((resolve) => {
    announce = resolve;
  });

  const forget = (owner: StepId, name: string): void => {
    const others = kept.get(owner)?.filter((body) => body.name !== name) ?? [];
    kept.set(owner, others);
  };

  const hand = async ({ owner, body }: Arrival<StepId>): Promise<boolean> => {
    const ready = receiver ?? (await withinHold(registered));
    if (ready === undefined) return false;
    try {
      await ready(owner, body);
      return true;
    } catch {
      // Not durable, so not acknowledged: the receiver has reported its own failure.
      return false;
    }
  };

  const withinHold = async (promise: Promise<Receiver>): Promise<Receiver | undefined> => {
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
    deliver: (arrival) => {
      const bodies = kept.get(arrival.owner) ?? [];
      const name = nameOf(arrival.bytes);
      const earlier = bodies.find((body) => body.name === name);
      if (earlier) return earlier.delivery;
      if (bodies.length >= MAX_BODIES) return Promise.resolve(false);
      const delivery = hand(arrival);
      kept.set(arrival.owner, [...bodies, { name, delivery }]);
      const drop = (): void => forget(arrival.owner, name);
      void delivery.then((delivered) => delivered || drop(), drop);
      return delivery;
    },
  };
}

/** What tells a body from all others: a short one itself, for a digest takes longer than all else here. */
function nameOf(bytes: Buffer): string {
  return bytes.length > SHORT ? digestOfBytes(bytes) : bytes.toString('latin1');
}
