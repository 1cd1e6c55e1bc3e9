import { digestOf, type Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { kindOf, parseStepId, stepId, type ResourceId, type StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { fillPlaceholders } from '../model/value.js';
import {
  advanceAttempt,
  beginAttempt,
  isAttemptEvent,
  isConfirmed,
  isEffectless,
  isOpen,
  type Attempt,
  type AttemptEvent,
} from './attempt.js';
import type {
  Grade,
  JournalEvent,
  LineageStarted,
  Outputs,
  ResourceAdopted,
  RunEnded,
  RunStarted,
  StepIntended,
} from './event.js';
import type { Lock, LockEntry } from './lock.js';

/** One apply of the lineage; `ended` is absent after a crash or while it runs. */
export interface RunRecord {
  readonly started: RunStarted;
  readonly ended?: RunEnded;
}

/**
 * The state of a lineage: the one fold of its journal. Whoever records an event applies it here after it is
 * durable, and changes run state in no other way; the functions below fold a whole journal with the same code.
 */
export class LineageState {
  #started: LineageStarted | undefined;
  #serial = 0;
  readonly #entries = new Map<ResourceId, LockEntry>();
  readonly #attempts = new Map<StepId, Attempt>();
  readonly #open = new Set<StepId>();
  readonly #latest = new Map<ResourceId, StepId>();
  readonly #numbers = new Map<ResourceId, number>();
  readonly #tokens = new Map<Digest, StepId>();
  readonly #runs: RunRecord[] = [];
  /** Attempts settled since a run last ended by itself. */
  readonly #fresh = new Set<StepId>();

  /** The state after all events, oldest first. @throws JOURNAL_CORRUPT when an event contradicts those before it. */
  constructor(events: Iterable<JournalEvent> = []) {
    for (const event of events) this.apply(event);
  }

  /** The lock, or undefined before the lineage began. Its entries are a live view: later events change them. */
  get lock(): Lock | undefined {
    if (this.#started === undefined) return undefined;
    const { lineage, target } = this.#started;
    return { lineage, serial: this.#serial, target, entries: this.#entries };
  }

  /** Every attempt, oldest first. A live view. */
  get attempts(): ReadonlyMap<StepId, Attempt> {
    return this.#attempts;
  }

  /** The attempts of which nobody knows the outcome: few, however long the journal is. */
  get openAttempts(): readonly Attempt[] {
    return [...this.#open].flatMap((step) => this.#attempts.get(step) ?? []);
  }

  /** Every apply, oldest first. A live view. */
  get runs(): readonly RunRecord[] {
    return this.#runs;
  }

  /** Attempts whose outcome was settled since a run last ended by itself: nobody looked for second effects yet. */
  get freshlySettled(): ReadonlySet<StepId> {
    return this.#fresh;
  }

  /** The newest attempt that names the step or writes the resource; forgetting a resource does not end its history. */
  lastAttempt(id: ResourceId): Attempt | undefined {
    const step = this.#latest.get(id);
    return step === undefined ? undefined : this.#attempts.get(step);
  }

  /** The id for a new attempt: numbers of attempts made before a journal was lost are not used again. */
  nextStep(id: ResourceId): StepId {
    return stepId(id, (this.#numbers.get(id) ?? 0) + 1);
  }

  /** The attempt that a callback token belongs to. */
  stepOfToken(token: Digest): StepId | undefined {
    return this.#tokens.get(token);
  }

  /** Folds one event in. @throws JOURNAL_CORRUPT when it contradicts the events before it. */
  apply(event: JournalEvent): void {
    if ((this.#started === undefined) !== (event.type === 'lineage-started')) {
      throw corrupt('A journal has one `lineage-started`, and it comes first.');
    }
    if (isAttemptEvent(event)) return this.#advance(event);
    switch (event.type) {
      case 'lineage-started':
        this.#started = event;
        this.#serial = event.serial ?? 0;
        return;
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
        this.#runs.push({ started: event });
        return;
      case 'run-ended':
        return this.#endRun(event);
    }
  }

  #intend(intent: StepIntended): void {
    const parsed = parseStepId(intent.step);
    if (parsed === undefined || this.#attempts.has(intent.step)) {
      throw corrupt(`The journal intends ${intent.step} twice, or it is not a step.`);
    }
    this.#put(beginAttempt(intent));
    this.#tokens.set(intent.token, intent.step);
    this.#count(intent.step);
    for (const id of [parsed.id, ...intent.resources]) this.#latest.set(id, intent.step);
  }

  #put(attempt: Attempt): void {
    this.#attempts.set(attempt.step, attempt);
    if (isOpen(attempt)) this.#open.add(attempt.step);
    else this.#open.delete(attempt.step);
  }

  #advance(event: AttemptEvent): void {
    const attempt = this.#attempts.get(event.step);
    if (attempt === undefined) throw corrupt(`The journal speaks of ${event.step}, which it never intended.`);
    const advanced = advanceAttempt(attempt, event);
    const again = event.type === 'step-duplicated' && this.#mayReopen(attempt);
    this.#put(again ? { ...advanced, contradicted: 'reopened' } : advanced);
    if (isProven(event)) this.#fresh.add(event.step);
    if (event.type === 'step-settled' && !isConfirmed(attempt)) {
      this.#enter(attempt, event.outputs, { grade: event.grade, at: event.at });
    }
    if (event.type === 'step-resolved' && event.decision === 'adopt') {
      this.#enter(attempt, event.outputs ?? {}, { grade: event.grade ?? 'O', at: event.at });
    }
  }

  /** Nothing was sent in the place of an attempt without effect, so that it can only have had one itself. */
  #mayReopen(attempt: Attempt): boolean {
    return isEffectless(attempt) && attempt.resources.every((id) => this.#latest.get(id) === attempt.step);
  }

  #enter(
    attempt: Attempt,
    outputs: Readonly<Record<ResourceId, Outputs>>,
    how: { readonly grade: Grade; readonly at: string },
  ): void {
    const made = Object.entries(outputs) as [ResourceId, Outputs][];
    for (const [id, output] of made) {
      // Contracts of one request may name each other; their addresses came with the outcome.
      const inputs = fillPlaceholders(attempt.inputs[id] ?? null, (sibling) => outputs[sibling]?.address);
      this.#set(id, inputs, output, { ...how, step: attempt.step });
    }
    if (made.length > 0) this.#serial += 1;
  }

  #adopt(event: ResourceAdopted): void {
    const { id, grade, at, step } = event;
    this.#set(id, event.inputs, event.outputs, { grade, at, ...(step === undefined ? {} : { step }) });
    if (step !== undefined) this.#count(step);
    if (event.imported !== true) this.#serial += 1;
  }

  #set(id: ResourceId, inputs: Json, outputs: Outputs, how: Pick<LockEntry, 'grade' | 'at' | 'step'>): void {
    this.#entries.set(id, { id, kind: kindOf(id), inputs, digest: digestOf(inputs), outputs, ...how });
  }

  #move(from: ResourceId, to: ResourceId): void {
    const entry = this.#entries.get(from);
    if (entry === undefined) return;
    this.#entries.delete(from);
    this.#entries.set(to, { ...entry, id: to, kind: kindOf(to) });
    this.#serial += 1;
    const latest = this.#latest.get(from);
    if (latest !== undefined) this.#latest.set(to, latest);
    this.#latest.delete(from);
  }

  #count(step: StepId): void {
    const parsed = parseStepId(step);
    if (parsed === undefined) return;
    this.#numbers.set(parsed.id, Math.max(parsed.attempt, this.#numbers.get(parsed.id) ?? 0));
  }

  #endRun(ended: RunEnded): void {
    if (ended.result !== 'interrupted') this.#fresh.clear();
    const index = this.#runs.findLastIndex(({ started }) => started.run === ended.run);
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = { ...run, ended };
  }
}

function isProven(event: AttemptEvent): boolean {
  if (event.type === 'step-settled') return event.state !== 'undecided';
  return event.type === 'step-resolved' && event.decision === 'adopt';
}

/** The lock that a journal amounts to; undefined for an empty journal. @throws JOURNAL_CORRUPT */
export function projectLock(events: Iterable<JournalEvent>): Lock | undefined {
  return new LineageState(events).lock;
}

/** Every attempt of a journal, oldest first. @throws JOURNAL_CORRUPT */
export function foldAttempts(events: Iterable<JournalEvent>): ReadonlyMap<StepId, Attempt> {
  return new LineageState(events).attempts;
}

function corrupt(message: string): WindlassError {
  return new WindlassError('JOURNAL_CORRUPT', message);
}
