import type { JournalEvent } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { isAttemptEvent } from '../state/attempt.js';
import { Claims } from './claims.js';
import type { Clock, Journal } from './ports.js';
import type { Observer } from './result.js';

type Unstamped<E> = E extends JournalEvent ? Omit<E, 'at'> : never;

/** A journal event before it has its time. */
export type NewEvent = Unstamped<JournalEvent>;

/** One append to the journal. */
interface Append {
  durable: boolean;
}

/**
 * The one way in which run state changes: append events, fold them, tell the observer.
 *
 * Events are folded as soon as they have their place in the journal, before they are durable, so that a step does not
 * wait for the disk at every turn. A journal loses nothing but its end: where a record is durable, all before it are. So
 * what is decided from an event is sent only when a later intent, and with it the event, is durable; and what leaves the
 * process without an intent waits for it: acknowledgements for {@link record}, all that is shown through {@link tell}.
 */
export class Recorder {
  readonly state: LineageState;
  /** What each step is proven by, always up to date. */
  readonly claims: Claims;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #observe: Observer;
  /** What the observer is told when the append that it follows from is durable, in order. */
  readonly #untold: { readonly event: Parameters<Observer>[0]; readonly append: Append }[] = [];
  #append: Append = { durable: true };
  /** Resolves when everything recorded is durable and told. */
  #last: Promise<unknown> = Promise.resolve();
  #broke: (thrown: unknown) => void = () => undefined;

  constructor(parts: {
    readonly state: LineageState;
    readonly journal: Journal;
    readonly clock: Clock;
    readonly observe: Observer;
  }) {
    this.state = parts.state;
    this.claims = new Claims(parts.state);
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#observe = parts.observe;
  }

  /** Records events: folded when it returns, durable and told when it resolves. @throws JOURNAL_WRITE */
  async record(...events: readonly NewEvent[]): Promise<void> {
    const at = new Date(this.#clock.nowMs()).toISOString();
    const stamped: readonly JournalEvent[] = events.map((event) => ({ ...event, at }));
    const kept = this.#keep(stamped);
    for (const event of stamped) this.#fold(event);
    await kept;
  }

  /** Records events that nothing waits for. A failure goes to {@link whenBroken}, and every later record fails too. */
  note(...events: readonly NewEvent[]): void {
    this.record(...events).catch((thrown: unknown) => this.#broke(thrown));
  }

  /** Who is told that something noted cannot be kept. */
  whenBroken(handler: (thrown: unknown) => void): void {
    this.#broke = handler;
  }

  /** Tells the observer what follows from the events so far, as soon as they are durable; never, when they cannot be. */
  tell(event: Parameters<Observer>[0]): void {
    this.#untold.push({ event, append: this.#append });
    this.#tellDurable();
  }

  /** Waits until everything recorded is durable and told, or cannot be. */
  async rest(): Promise<void> {
    let last: Promise<unknown>;
    do {
      last = this.#last;
      await last.catch(() => undefined);
    } while (last !== this.#last);
  }

  #keep(events: readonly JournalEvent[]): Promise<void> {
    const append: Append = { durable: false };
    this.#append = append;
    for (const event of events) this.#untold.push({ event, append });
    const kept = this.#kept(events, append);
    // Whoever recorded hears of it; `rest` may not be waiting.
    kept.catch(() => undefined);
    this.#last = kept;
    return kept;
  }

  async #kept(events: readonly JournalEvent[], append: Append): Promise<void> {
    await this.#journal.append(events);
    append.durable = true;
    this.#tellDurable();
  }

  #tellDurable(): void {
    for (let first = this.#untold[0]; first?.append.durable; first = this.#untold[0]) {
      this.#untold.shift();
      this.#observe(first.event);
    }
  }

  #fold(event: JournalEvent): void {
    this.state.apply(event);
    const attempt = isAttemptEvent(event) ? this.state.attempts.get(event.step) : undefined;
    this.claims.apply(event, attempt?.resources[0]);
  }
}
