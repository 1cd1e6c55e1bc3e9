import type { Digest } from '../model/canonical.js';
import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import type { ReadAnswer, ReadRequest, WriteRequest } from '../kinds/operation.js';
import type { JournalEvent, Outcome } from '../state/event.js';

/** How the answer to a write is classed, and what it said. */
export interface WriteAnswer {
  readonly outcome: Outcome;
  /** HTTP status, when a whole response came. */
  readonly status?: number;
  /** The unwrapped result; present when `outcome` is `accepted`. */
  readonly result?: Json;
  /** Reason in the service's or the transport's words, cleaned for printing. */
  readonly message?: string;
  /** For a rejection: the members of the request that it names. */
  readonly fields?: readonly string[];
  /** For a rejected 429: how long to leave the service alone. */
  readonly retryAfterMs?: number;
}

/** The service. Writes are never repeated and never redirected; reads are retried with backoff inside. */
export interface Service {
  /**
   * @param step the attempt that it is sent for: for traces, it changes nothing
   * @param signal when it fires before the first byte was sent, nothing is sent any more; `not_sent`
   */
  write(
    request: WriteRequest,
    callbackUrl: string | undefined,
    step?: StepId,
    signal?: AbortSignal,
  ): Promise<WriteAnswer>;
  /**
   * @param settled true: what was sent before has its outcome when this is answered, so that what is not shown did not
   *   happen; `unreadable` otherwise. Changes nothing where the service cannot be asked so
   */
  read(request: ReadRequest, settled?: boolean): Promise<ReadAnswer>;
}

/**
 * The append-only truth. A resolved append is durable, in the order of the calls; concurrent appends share one
 * fsync, and may share the promise. After a failed append every later one fails too. Where durability is dear, answers
 * and outcomes may resolve earlier: they license nothing before the next intent, which is durable only after them. The
 * events are the journal's from then on: nobody changes them.
 */
export interface Journal {
  append(events: readonly JournalEvent[]): Promise<void>;
}

/** Where callbacks arrive. The handler is done when what came is durable; only then is the sender answered 200. */
export interface Inbox {
  /** Address to give away for an attempt, or undefined when callbacks are off. Durable before it returns. */
  open(step: StepId): Promise<{ readonly url: string | undefined; readonly token: Digest }>;
  /** Registers the one receiver; bodies that came before are handed over first. */
  receive(handler: (step: StepId, body: Json) => Promise<void>): void;
}

/** Time. `sleep` ends early, without error, when the signal fires. */
export interface Clock {
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Everything that the executor needs from outside. */
export interface Ports {
  readonly service: Service;
  readonly journal: Journal;
  readonly inbox: Inbox;
  readonly clock: Clock;
}
