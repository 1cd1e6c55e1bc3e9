import type { AttemptBook } from './attempt-book.js';
import type { EntryBook } from './entry-book.js';
import type { JournalEvent } from './event.js';
import { hashOfBytes } from './key-table.js';
import type { FittingText, PackedEvents } from './packed-events.js';
import { attemptOf, idEndOf } from './plain-id.js';
import type { ResourceIndex } from './resource-index.js';

/** What became of an event: `settled` changed the lock. `unknown`: it has to be folded as an object; `unlike`: its form is new. */
export type Folded = 'noted' | 'settled' | 'unknown' | 'unlike';

/**
 * Folds the events that a plain step leaves behind (one resource; intended, answered, heard of, confirmed) from their text
 * as the journal holds it. They are nearly all of a long journal, and a hundred thousand steps of them as objects take ten
 * times the time and the memory. Whatever is not plain is left to the fold of objects, and ends the same either way.
 */
export class PlainFold {
  readonly #packed: PackedEvents;
  readonly #attempts: AttemptBook;
  readonly #resources: ResourceIndex;
  readonly #entries: EntryBook;

  constructor(
    packed: PackedEvents,
    books: {
      readonly attempts: AttemptBook;
      readonly resources: ResourceIndex;
      readonly entries: EntryBook;
    },
  ) {
    this.#packed = packed;
    this.#attempts = books.attempts;
    this.#resources = books.resources;
    this.#entries = books.entries;
  }

  /** Folds an event in. @param bytes its text in UTF-8 */
  fold(bytes: Uint8Array, start: number, end: number): Folded {
    const form = this.#packed.fit(bytes, start, end);
    if (form === undefined) return 'unlike';
    const text = { form, bytes };
    return form.type === 'step-intended' ? this.#intend(text) : this.#advance(text);
  }

  /** Remembers how an event is written, for those like it. */
  learn(event: JournalEvent, json: string): void {
    this.#packed.learn(event, json);
  }

  #intend(text: FittingText): Folded {
    const { bytes, form } = text;
    const from = this.#packed.startOf(form.holes.step);
    const to = this.#packed.endOf(form.holes.step);
    const idEnd = idEndOf(bytes, from, to);
    const isPlain =
      idEnd >= 0 &&
      this.#packed.isNamed(form.holes.resource, idEnd - from) &&
      this.#packed.isNamed(form.holes.key, idEnd - from);
    // The name of a step begins with that of its resource.
    const hash = hashOfBytes(bytes, from, Math.max(from, idEnd));
    const number = isPlain ? this.#attempts.begin(text, hashOfBytes(bytes, idEnd, to, hash)) : -1;
    if (number < 0) return 'unknown';
    const known = this.#resources.findBytes(bytes, from, idEnd, hash);
    const resource = known < 0 ? this.#resources.addSought(this.#attempts.placeOf(number)) : known;
    this.#resources.count(resource, attemptOf(bytes, idEnd + 1, to));
    this.#resources.setLatest(resource, number);
    return 'noted';
  }

  #advance(text: FittingText): Folded {
    const { bytes, form } = text;
    const number = this.#attempts.aboutWhich(text);
    if (number < 0) return 'unknown';
    if (form.type !== 'step-settled') return this.#attempts.advance(number, text) ? 'noted' : 'unknown';
    // Its outcome may say what they are.
    if (this.#attempts.hasReopened) return 'unknown';
    const from = this.#packed.startOf(form.holes.step);
    const to = this.#packed.endOf(form.holes.step);
    const idEnd = idEndOf(bytes, from, to);
    if (!this.#packed.isNamed(form.holes.key, idEnd - from) || !this.#attempts.advance(number, text))
      return 'unknown';
    this.#entries.link(this.#resources.findBytes(bytes, from, idEnd), number);
    return 'settled';
  }
}
