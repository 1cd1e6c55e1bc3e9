import type { JournalEvent } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { isAttemptEvent } from '../state/attempt.js';
import { Claims } from './claims.js';
import type { Clock, Journal } from './ports.js';
import type { Observer } from './result.js';

type Unstamped<E> = E extends JournalEvent ? Omit<E, 'at'> : never;

/** A journal event before it has its time. */
export type NewEvent = Unstamped<JournalEvent>;

/**
 * The one way in which run state changes: make events durable, fold them, tell the observer; in this order, so that
 * nothing is decided on, shown or sent that a crash could take back.
 */
export class Recorder {
  readonly state: LineageState;
  /** What each step is proven by, always up to date. */
  readonly claims: Claims;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #observe: Observer;

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

  /** Records events; resolves when they are durable and folded. @throws JOURNAL_WRITE */
  async record(...events: readonly NewEvent[]): Promise<void> {
    const at = new Date(this.#clock.nowMs()).toISOString();
    const stamped: readonly JournalEvent[] = events.map((event) => ({ ...event, at }));
    await this.#journal.append(stamped);
    for (const event of stamped) {
      this.state.apply(event);
      const attempt = isAttemptEvent(event) ? this.state.attempts.get(event.step) : undefined;
      this.claims.apply(event, attempt?.resources[0]);
      this.#observe(event);
    }
  }
}
