import { isAttemptEvent } from '../state/attempt.js';
import { Claims } from './claims.js';
/**
 * The one way in which run state changes: append events, fold them, tell the observer.
 *
 * Events are folded as soon as they have their place in the journal, before they are durable, so that a step does not
 * wait for the disk at every turn. A journal loses nothing but its end: where a record is durable, all before it are. So
 * what is decided from an event is sent only when a later intent, and with it the event, is durable; and what leaves the
 * process without an intent waits for it: acknowledgements for {@link record}, all that is shown through {@link tell}.
 */
export class Recorder {
    state;
    /** What each step is proven by, always up to date. */
    claims;
    #journal;
    #clock;
    #observe;
    /** What the observer was not told yet, oldest first. */
    #groups = [];
    /** Resolves when everything recorded is durable and told. */
    #last = Promise.resolve();
    /** The time of the last event: events come faster than milliseconds. */
    #at = { ms: Number.NaN, text: '' };
    #broke = () => undefined;
    constructor(parts) {
        this.state = parts.state;
        this.claims = new Claims(parts.state);
        this.#journal = parts.journal;
        this.#clock = parts.clock;
        this.#observe = parts.observe;
    }
    /** Records events: folded when it returns, durable and told when it resolves. @throws JOURNAL_WRITE */
    async record(...events) {
        await this.#keep(events).kept;
    }
    /** Records events that nothing waits for. A failure goes to {@link whenBroken}, and every later record fails too. */
    note(...events) {
        try {
            this.#keep(events).noted = true;
        }
        catch (thrown) {
            this.#broke(thrown);
        }
    }
    /** Who is told that something noted cannot be kept. */
    whenBroken(handler) {
        this.#broke = handler;
    }
    /** Tells the observer what follows from the events so far, as soon as they are durable; never, when they cannot be. */
    tell(event) {
        const group = this.#groups.at(-1);
        if (group === undefined)
            this.#observe(event);
        else
            group.untold.push(event);
    }
    /** Waits until everything recorded is durable and told, or cannot be. */
    async rest() {
        let last;
        do {
            last = this.#last;
            await last.catch(() => undefined);
        } while (last !== this.#last);
    }
    #keep(events) {
        const at = this.#now();
        const stamped = events.map((event) => ({ ...event, at }));
        const group = this.#groupOf(this.#journal.append(stamped));
        for (const event of stamped) {
            group.untold.push(event);
            this.#fold(event);
        }
        return group;
    }
    #now() {
        const ms = this.#clock.nowMs();
        if (ms !== this.#at.ms)
            this.#at = { ms, text: new Date(ms).toISOString() };
        return this.#at.text;
    }
    #groupOf(appended) {
        const last = this.#groups.at(-1);
        if (last?.appended === appended)
            return last;
        const group = { appended, kept: appended, untold: [], noted: false, durable: false };
        group.kept = this.#finish(group);
        // Whoever recorded hears of it; `rest` may not be waiting.
        group.kept.catch((thrown) => {
            if (group.noted)
                this.#broke(thrown);
        });
        this.#groups.push(group);
        this.#last = group.kept;
        return group;
    }
    async #finish(group) {
        await group.appended;
        group.durable = true;
        this.#tellDurable();
    }
    #tellDurable() {
        for (let first = this.#groups[0]; first?.durable; first = this.#groups[0]) {
            this.#groups.shift();
            for (const event of first.untold)
                this.#observe(event);
        }
    }
    #fold(event) {
        this.claims.expect(event);
        this.state.apply(event);
        const attempt = isAttemptEvent(event) ? this.state.attempts.get(event.step) : undefined;
        this.claims.apply(event, attempt?.resources[0]);
    }
}
