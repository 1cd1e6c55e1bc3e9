import type { StepId } from '../model/id.js';
import type { People } from '../kinds/wallet.js';
import type { JournalEvent } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { isAttemptEvent } from '../state/attempt.js';
import { Claims } from './claims.js';
import type { Clock, Journal } from './ports.js';
import type { Observer } from './result.js';

type Unstamped<E> = E extends JournalEvent ? Omit<E, 'at'> : never;

/** A journal event before it has its time. */
export type NewEvent = Unstamped<JournalEvent>;

/** Events that become durable together, and what else is told then, in order. */
interface Group {
  /** Of the journal: the appends of a group share it. */
  readonly appended: Promise<void>;
  /** Resolves when the group is durable, and told. */
  kept: Promise<void>;
  readonly untold: Parameters<Observer>[0][];
  /** Nobody waits for some of the events. */
  noted: boolean;
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
  /** Attempts of this run that are intended and not sent yet: nothing that a read shows is their effect. */
  readonly unsent = new Set<StepId>();
  /** The people whom wallets are made for, where the plan at hand says them: nothing of them is recorded. */
  readonly people: People | undefined;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #observe: Observer;
  /** What the observer was not told yet, oldest first. */
  readonly #groups: Group[] = [];
  /** Resolves when everything recorded is durable and told. */
  #last: Promise<void> = Promise.resolve();
  /** The time of the last event: events come faster than milliseconds. */
  #at = { ms: Number.NaN, text: '' };
  #second = { ms: Number.NaN, text: '' };
  #broke: (thrown: unknown) => void = () => undefined;

  constructor(parts: {
    readonly state: LineageState;
    readonly journal: Journal;
    readonly clock: Clock;
    readonly observe: Observer;
    readonly people?: People;
  }) {
    this.people = parts.people;
    this.state = parts.state;
    this.claims = new Claims(parts.state);
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#observe = parts.observe;
  }

  /** Records events: folded when it returns, durable and told when it resolves. @throws JOURNAL_WRITE */
  record(...events: readonly NewEvent[]): Promise<void> {
    try {
      return this.#keep(events).kept;
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /** Records events that nothing waits for. A failure goes to {@link whenBroken}, and every later record fails too. */
  note(...events: readonly NewEvent[]): void {
    try {
      this.#keep(events).noted = true;
    } catch (thrown) {
      this.#broke(thrown);
    }
  }

  /** Who is told that something noted cannot be kept. */
  whenBroken(handler: (thrown: unknown) => void): void {
    this.#broke = handler;
  }

  /** Tells the observer what follows from the events so far, as soon as they are durable; never, when they cannot be. */
  tell(event: Parameters<Observer>[0]): void {
    const group = this.#groups.at(-1);
    if (group === undefined) this.#observe(event);
    else group.untold.push(event);
  }

  /** Waits until everything recorded is durable and told, or cannot be. */
  async rest(): Promise<void> {
    let last: Promise<unknown>;
    do {
      last = this.#last;
      await last.catch(() => undefined);
    } while (last !== this.#last);
  }

  #keep(events: readonly NewEvent[]): Group {
    const at = this.#now();
    const stamped = events.map((event) => stamp(event, at));
    const group = this.#groupOf(this.#journal.append(stamped));
    for (const event of stamped) {
      group.untold.push(event);
      this.#fold(event);
    }
    return group;
  }

  #now(): string {
    const ms = this.#clock.nowMs();
    if (ms !== this.#at.ms) this.#at = { ms, text: this.#textOf(ms) };
    return this.#at.text;
  }

  /** Within one second only the milliseconds change. */
  #textOf(ms: number): string {
    const within = ms % 1000;
    const isNear = Number.isInteger(ms) && ms > 0 && ms - within === this.#second.ms;
    if (isNear) return `${this.#second.text}${String(within).padStart(3, '0')}Z`;
    const text = new Date(ms).toISOString();
    this.#second = { ms: ms - within, text: text.slice(0, -4) };
    return text;
  }

  #groupOf(appended: Promise<void>): Group {
    const last = this.#groups.at(-1);
    if (last?.appended === appended) return last;
    const group: Group = { appended, kept: appended, untold: [], noted: false, durable: false };
    group.kept = this.#finish(group);
    // Whoever recorded hears of it; `rest` may not be waiting.
    group.kept.catch((thrown: unknown) => {
      if (group.noted) this.#broke(thrown);
    });
    this.#groups.push(group);
    this.#last = group.kept;
    return group;
  }

  async #finish(group: Group): Promise<void> {
    await group.appended;
    group.durable = true;
    this.#tellDurable();
  }

  #tellDurable(): void {
    for (let first = this.#groups[0]; first?.durable; first = this.#groups[0]) {
      this.#groups.shift();
      for (const event of first.untold) this.#observe(event);
    }
  }

  #fold(event: JournalEvent): void {
    this.claims.expect(event);
    this.state.apply(event);
    const attempt = isAttemptEvent(event) ? this.state.attempts.get(event.step) : undefined;
    this.claims.apply(event, attempt?.resources[0]);
  }
}

/** The event with its time. Events are made to be recorded, so the object itself takes it, unless it has one. */
function stamp(event: NewEvent, at: string): JournalEvent {
  if ('at' in event) return { ...event, at };
  const stamped = event as NewEvent & { at: string };
  stamped.at = at;
  return stamped;
}
