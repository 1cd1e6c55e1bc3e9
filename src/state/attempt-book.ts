import type { Digest } from '../model/canonical.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { Attempt } from './attempt.js';
import type { ByteStore } from './byte-store.js';
import type { JournalEvent } from './event.js';
import { LazyMap } from './lazy-map.js';
import { LiveAttempts } from './live-attempts.js';
import { Names } from './names.js';
import { NumberSet } from './number-set.js';
import { PackedAttempts } from './packed-attempts.js';
import type { FittingText, PackedEvents } from './packed-events.js';
import { NOTES, StepNotes } from './step-notes.js';
import { traceOf, type Trace } from './trace.js';
import { TAGS } from './packed-value.js';
import { TokenIndex } from './token-index.js';

/**
 * Every attempt by its step, oldest first. Those of plain steps that were read from a journal are kept as packed events,
 * and become objects when they are asked for; all others are kept as objects.
 */
export class AttemptBook extends LazyMap<StepId, Attempt> {
  /** Reads those that are packed. */
  readonly packed: PackedAttempts;
  readonly #store: ByteStore;
  readonly #events: PackedEvents;
  readonly #steps: Names;
  readonly #live = new LiveAttempts();
  readonly #tokens: TokenIndex;
  /** Of those that are packed: the ones not confirmed yet. */
  readonly #begun = new NumberSet();
  readonly #notes = new StepNotes();
  /** Which attempt the packed events were about lately: the last one, and the last of each type. */
  #near = -1;
  readonly #before = new Map<JournalEvent['type'], number>();

  constructor(store: ByteStore, events: PackedEvents) {
    super();
    this.#store = store;
    this.#events = events;
    this.#steps = new Names(store);
    this.#tokens = new TokenIndex(store);
    this.packed = new PackedAttempts(events.reader, this.#steps, this.#notes);
  }

  get size(): number {
    return this.#steps.size;
  }

  has(step: StepId): boolean {
    return this.#steps.findText(step) >= 0;
  }

  get(step: StepId): Attempt | undefined {
    const live = this.#live.get(step);
    if (live !== undefined) return live;
    const number = this.#steps.findText(step);
    return number < 0 ? undefined : this.attempt(number);
  }

  *keys(): Generator<StepId, undefined> {
    for (let number = 0; number < this.size; number += 1) yield this.stepOf(number);
  }

  *values(): Generator<Attempt, undefined> {
    for (let number = 0; number < this.size; number += 1) yield this.attempt(number);
  }

  *entries(): Generator<[StepId, Attempt], undefined> {
    for (const attempt of this.values()) yield [attempt.step, attempt];
  }

  /** The number of a step, or -1. */
  numberOf(step: StepId): number {
    return this.#live.numberOf(step) ?? this.#steps.findText(step);
  }

  stepOf(number: number): StepId {
    return this.#steps.text(number) as StepId;
  }

  /** The attempt with a number. */
  attempt(number: number): Attempt {
    return this.#live.at(number) ?? this.packed.attempt(number);
  }

  /** The open ones, oldest first. */
  open(): readonly Attempt[] {
    return this.#live.open.ascendingWith(this.#begun).map((number) => this.attempt(number));
  }

  /** The open ones, and those that did not simply succeed, oldest first. */
  unproven(): readonly Attempt[] {
    return this.#live.unproven.ascendingWith(this.#begun).map((number) => this.attempt(number));
  }

  get hasReopened(): boolean {
    return this.#live.reopened.size > 0;
  }

  /** Those that are open once more: hardly any. */
  reopened(): readonly Attempt[] {
    return this.#live.reopened.ascending().map((number) => this.attempt(number));
  }

  /** All but those of which every word of evidence is about the transaction that settled them, oldest first. */
  *unexplained(): Generator<Attempt, undefined> {
    for (let number = 0; number < this.size; number += 1)
      if (this.#notes.has(number, NOTES.live) || !this.packed.isExplained(number)) yield this.attempt(number);
  }

  /** Keeps an attempt as it is now. */
  put(attempt: Attempt): void {
    if (this.#live.change(attempt)) return;
    const number = this.#steps.numberOf(attempt.step);
    this.#notes.add(number, NOTES.live);
    this.#begun.include(number, false);
    this.#live.add(number, attempt);
  }

  /** Notes whose token it is. */
  putToken(token: Digest, step: StepId): void {
    this.#live.putToken(token, step);
  }

  /** The attempt that a callback token belongs to. */
  stepOfToken(token: Digest): StepId | undefined {
    const live = this.#live.stepOfToken(token);
    const number = live === undefined ? this.#tokens.findText(token) : -1;
    return number < 0 ? live : this.stepOf(number);
  }

  /** Marks an attempt as settled since a run last ended. */
  freshen(number: number): void {
    this.#notes.add(number, NOTES.fresh);
  }

  isFresh(step: StepId): boolean {
    const number = this.#steps.findText(step);
    return number >= 0 && this.#notes.has(number, NOTES.fresh);
  }

  /** Those marked with {@link freshen}, oldest first. */
  *fresh(): Generator<Attempt, undefined> {
    for (let number = 0; number < this.size; number += 1)
      if (this.#notes.has(number, NOTES.fresh)) yield this.attempt(number);
  }

  /** Takes the mark off all. */
  settleDown(): void {
    this.#notes.removeAll(NOTES.fresh);
  }

  /** Keeps the intent that fitted last. @param hash that of its step @returns its number, or -1 when it has to be an object */
  begin(text: FittingText, hash: number): number {
    const { bytes, form } = text;
    const from = this.#events.startOf(form.holes.step);
    const to = this.#events.endOf(form.holes.step);
    if (this.#steps.find(bytes, from, to, hash) >= 0) return -1;
    const offset = this.#events.put(0);
    if (offset === 0) return -1;
    const tokenAt = this.#events.reader.placeOf(offset, form.holes.token);
    const chunk = this.#store.chunkOf(tokenAt);
    const index = this.#store.indexOf(tokenAt);
    // Of two with one token the later one is its owner, and has to be an object, too.
    if (chunk[index] !== TAGS.digest || this.#live.hasToken(chunk, index + 1)) return -1;
    const number = this.#steps.addSought();
    this.#notes.setLast(number, offset);
    this.#tokens.add(number, tokenAt + 1);
    this.#begun.include(number, true);
    this.#near = number;
    return number;
  }

  /** Keeps an event that fitted last, about an attempt. @returns false when it has to be an object */
  advance(number: number, text: FittingText): boolean {
    if (this.#notes.has(number, NOTES.live)) return false;
    const { type } = text.form;
    const settles = type === 'step-settled';
    if (settles && this.#notes.has(number, NOTES.confirmed)) return false;
    if (type === 'step-answered' && this.#notes.has(number, NOTES.answered)) return true;
    const offset = this.#events.put(this.#notes.lastOf(number));
    if (offset === 0) return false;
    this.#notes.setLast(number, offset);
    if (type === 'step-answered') this.#notes.add(number, NOTES.answered);
    if (!settles) return true;
    this.#notes.setSettled(number, offset);
    this.#notes.add(number, NOTES.confirmed | NOTES.fresh);
    this.#begun.include(number, false);
    return true;
  }

  /** The number of the step that the event which fitted last is about, or -1: most often the same as lately, or the next. */
  aboutWhich({ bytes, form }: FittingText): number {
    const from = this.#events.startOf(form.holes.step);
    const to = this.#events.endOf(form.holes.step);
    if (this.#steps.is(this.#near, bytes, from, to)) return this.#near;
    const next = (this.#before.get(form.type) ?? -1) + 1;
    const number = this.#steps.is(next, bytes, from, to) ? next : this.#steps.find(bytes, from, to);
    this.#near = number;
    this.#before.set(form.type, number);
    return number;
  }

  /** Where the bytes of a step's name are in the store. */
  placeOf(number: number): number {
    return this.#steps.placeOf(number);
  }

  /** @param isEntered true for a resource whose entry in the lock is what the attempt with this number made */
  *traces(isEntered: (id: ResourceId, number: number) => boolean): Generator<Trace, undefined> {
    for (let number = 0; number < this.size; number += 1) {
      const step = this.stepOf(number);
      const resource = step.slice(0, step.lastIndexOf('#')) as ResourceId;
      const live = this.#live.get(step);
      const isMade = !live && this.#notes.has(number, NOTES.confirmed) && !isEntered(resource, number);
      const made = isMade ? [{ [resource]: this.packed.outputsOf(number) }] : [];
      yield live ? traceOf(live) : { step, resource, ids: this.packed.idsOf(number), made };
    }
  }
}
