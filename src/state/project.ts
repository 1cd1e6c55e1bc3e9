import type { Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { parseStepId, type ResourceId, type StepId } from '../model/id.js';
import {
  advanceAttempt,
  beginAttempt,
  isAttemptEvent,
  isConfirmed,
  isEffectless,
  isProven,
  type Attempt,
  type AttemptEvent,
} from './attempt.js';
import { AttemptBook } from './attempt-book.js';
import type { Trace } from './trace.js';
import { ByteStore } from './byte-store.js';
import { EntryBook, type LockedOutputs } from './entry-book.js';
import type { JournalEvent, ResourceAdopted, RunEnded, StepIntended } from './event.js';
import type { Lock } from './lock.js';
import { PackedEvents } from './packed-events.js';
import { PlainFold } from './plain-fold.js';
import { ResourceIndex } from './resource-index.js';
import { RunBook, type RunRecord } from './run-book.js';
import { withKey } from './target.js';

/**
 * The state of a lineage: the one fold of its journal. Whoever records an event applies it here after it is
 * durable, and changes run state in no other way; the functions below fold a whole journal with the same code.
 */
export class LineageState {
  /** Undefined before it began; its target with the keys that were accepted since. */
  #lineage: Pick<Lock, 'lineage' | 'target'> | undefined;
  #serial = 0;
  readonly #attempts: AttemptBook;
  readonly #resources: ResourceIndex;
  readonly #entries: EntryBook;
  readonly #plain: PlainFold;
  readonly #runs = new RunBook();

  /** The state after all events, oldest first. @throws JOURNAL_CORRUPT when an event contradicts those before it. */
  constructor(events: Iterable<JournalEvent> = []) {
    const store = new ByteStore();
    const packed = new PackedEvents(store);
    this.#attempts = new AttemptBook(store, packed);
    this.#resources = new ResourceIndex(store);
    this.#entries = new EntryBook(this.#resources, this.#attempts);
    this.#plain = new PlainFold(packed, {
      attempts: this.#attempts,
      resources: this.#resources,
      entries: this.#entries,
    });
    for (const event of events) this.apply(event);
  }

  /** The lock, or undefined before the lineage began. Its entries are a live view: later events change them. */
  get lock(): Lock | undefined {
    return this.#lineage && { ...this.#lineage, serial: this.#serial, entries: this.#entries };
  }

  /** Every attempt, oldest first. A live view. */
  get attempts(): ReadonlyMap<StepId, Attempt> {
    return this.#attempts;
  }

  /** The attempts of which nobody knows the outcome: few, however long the journal is. */
  get openAttempts(): readonly Attempt[] {
    return this.#attempts.open();
  }

  /** All but those that are simply confirmed, oldest first: few, however long the journal is. */
  get unprovenAttempts(): readonly Attempt[] {
    return this.#attempts.unproven();
  }

  /** The attempts of which evidence may say more than is known: few, however long the journal is that was read. */
  unexplainedAttempts(): Iterable<Attempt> {
    return this.#attempts.unexplained();
  }

  /** What the entries of the lock are known by, in its order. */
  lockedOutputs(): Iterable<LockedOutputs> {
    return this.#entries.outputs();
  }

  /** What the attempts named that {@link lockedOutputs} does not, oldest first. */
  traces(): Iterable<Trace> {
    return this.#attempts.traces((id, number) => this.#entries.isMadeBy(id, number));
  }

  /** Every apply, oldest first. A live view. */
  get runs(): readonly RunRecord[] {
    return this.#runs.all;
  }

  /** True when absence may prove that an attempt had no effect: a run that was not bounded may have believed its answer of another. */
  isBounded(step: StepId): boolean {
    return this.#runs.isBounded(this.#attempts.numberOf(step));
  }

  /** The plan that an attempt was made by; undefined where no run is known that made it. */
  planOf(step: StepId): Digest | undefined {
    return this.#runs.planOf(this.#attempts.numberOf(step));
  }

  /** Attempts whose outcome was settled since a run last ended by itself: nobody looked for second effects yet. */
  freshlySettled(): Iterable<Attempt> {
    return this.#attempts.fresh();
  }

  /** True for a step whose attempt is {@link freshlySettled}. */
  isFresh(step: StepId): boolean {
    return this.#attempts.isFresh(step);
  }

  /** The newest attempt that names the step or writes the resource; forgetting a resource does not end its history. */
  lastAttempt(id: ResourceId): Attempt | undefined {
    const latest = this.#resources.latestOf(this.#resources.find(id));
    return latest < 0 ? undefined : this.#attempts.attempt(latest);
  }

  /** The id for a new attempt: numbers of attempts made before a journal was lost are not used again. */
  nextStep(id: ResourceId): StepId {
    return this.#resources.nextStep(id);
  }

  /** The attempt that a callback token belongs to. */
  stepOfToken(token: Digest): StepId | undefined {
    return this.#attempts.stepOfToken(token);
  }

  /** Folds one event in. @throws JOURNAL_CORRUPT when it contradicts the events before it. */
  apply(event: JournalEvent): void {
    if ((this.#lineage === undefined) !== (event.type === 'lineage-started')) {
      throw corrupt('A journal has one `lineage-started`, and it comes first.');
    }
    if (isAttemptEvent(event)) return this.#advance(event);
    switch (event.type) {
      case 'lineage-started':
        return this.#begin(event);
      case 'step-intended':
        return this.#intend(event);
      case 'resource-adopted':
        return this.#adopt(event);
      case 'resource-forgotten':
        this.#serial += this.#entries.delete(event.id) ? 1 : 0;
        return;
      case 'resource-moved':
        return this.#move(event.from, event.to);
      case 'run-started':
        return this.#runs.begin(event, this.#attempts.size);
      case 'key-accepted':
        return this.#accept(event);
      case 'run-ended':
        return this.#endRun(event);
    }
  }

  /**
   * Does what {@link apply} does without making objects, for an event that a plain step leaves behind.
   *
   * @param bytes its text in the journal, in UTF-8
   * @returns `unknown` for an event that has to be applied, `unlike` when its text is to be {@link learn learned} too
   */
  applyText(bytes: Uint8Array, start: number, end: number): 'applied' | 'unknown' | 'unlike' {
    if (this.#lineage === undefined) return 'unknown';
    const done = this.#plain.fold(bytes, start, end);
    if (done === 'settled') this.#serial += 1;
    return done === 'unknown' || done === 'unlike' ? done : 'applied';
  }

  /** Remembers how an event is written, for those like it. */
  learn(event: JournalEvent, json: string): void {
    this.#plain.learn(event, json);
  }

  #begin({ lineage, target, serial = 0 }: Extract<JournalEvent, { type: 'lineage-started' }>): void {
    this.#lineage = { lineage, target };
    this.#serial = serial;
  }

  #accept(key: Extract<JournalEvent, { type: 'key-accepted' }>): void {
    this.#lineage &&= { ...this.#lineage, target: withKey(this.#lineage.target, key) };
  }

  #intend(intent: StepIntended): void {
    const parsed = parseStepId(intent.step);
    if (parsed === undefined || this.#attempts.has(intent.step)) {
      throw corrupt(`The journal intends ${intent.step} twice, or it is not a step.`);
    }
    this.#attempts.put(beginAttempt(intent));
    this.#attempts.putToken(intent.token, intent.step);
    this.#resources.count(this.#resources.numberOf(parsed.id), parsed.attempt);
    const number = this.#attempts.numberOf(intent.step);
    for (const id of [parsed.id, ...intent.resources])
      this.#resources.setLatest(this.#resources.numberOf(id), number);
  }

  #advance(event: AttemptEvent): void {
    const attempt = this.#attempts.get(event.step);
    if (attempt === undefined) throw corrupt(`The journal speaks of ${event.step}, which it never intended.`);
    const advanced = advanceAttempt(attempt, event);
    const again = event.type === 'step-duplicated' && isEffectless(attempt) && !this.#isReplaced(attempt);
    this.#attempts.put(again ? { ...advanced, contradicted: 'reopened' } : advanced);
    if (isProven(event)) this.#attempts.freshen(this.#attempts.numberOf(event.step));
    if (event.type === 'step-settled' && !isConfirmed(attempt)) {
      this.#enter(attempt, event.outputs, { grade: event.grade, at: event.at });
    }
    if (event.type === 'step-resolved' && event.decision === 'adopt') {
      this.#enter(attempt, event.outputs ?? {}, { grade: event.grade ?? 'O', at: event.at });
    }
  }

  /** Enters what an attempt made. What an attempt in whose place it is was opened again for is then a second effect. */
  #enter(...made: Parameters<EntryBook['enter']>): void {
    if (this.#entries.enter(...made) === 0) return;
    this.#serial += 1;
    for (const other of this.#attempts.reopened())
      if (this.#isReplaced(other)) this.#attempts.put({ ...other, contradicted: 'duplicate' });
  }

  /** Something was sent or proven in its place: a sign of its effect is then of a second one, else it had its effect itself. */
  #isReplaced({ step, at, resources }: Attempt): boolean {
    return resources.some((id) => {
      const entry = this.#entries.get(id);
      const isOther = entry !== undefined && entry.step !== step && entry.at >= at;
      return isOther || this.lastAttempt(id)?.step !== step;
    });
  }

  #adopt(event: ResourceAdopted): void {
    this.#entries.adopt(event);
    if (event.step !== undefined) this.#resources.countStep(event.step);
    if (event.imported !== true) this.#serial += 1;
  }

  #move(from: ResourceId, to: ResourceId): void {
    if (!this.#entries.move(from, to)) return;
    this.#serial += 1;
    this.#resources.move(from, to);
  }

  #endRun(ended: RunEnded): void {
    if (ended.result !== 'interrupted') this.#attempts.settleDown();
    this.#runs.end(ended);
  }
}

function corrupt(message: string): WindlassError {
  return new WindlassError('JOURNAL_CORRUPT', message);
}
