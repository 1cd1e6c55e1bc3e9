import { invariant } from '../model/error.js';
import type { Json, JsonObject } from '../model/json.js';
import { beginAttempt, type Attempt } from './attempt.js';
import type { Grade, Outputs, StepEvidenced } from './event.js';
import type { Names } from './names.js';
import type { OwnNames, PackedReader } from './packed-reader.js';
import { NOTES, type StepNotes } from './step-notes.js';

/** Made when they are asked for: most events are read without. */
class OwnNamesOf implements OwnNames {
  readonly #steps: Names;
  readonly #number: number;

  constructor(steps: Names, number: number) {
    this.#steps = steps;
    this.#number = number;
  }

  get step(): string {
    return this.#steps.text(this.#number);
  }

  get id(): string {
    const { step } = this;
    return step.slice(0, step.lastIndexOf('#'));
  }
}

/** Reads attempts that are kept as packed events, whole or in part, by the number of their step. */
export class PackedAttempts {
  readonly #packed: PackedReader;
  readonly #steps: Names;
  readonly #notes: StepNotes;

  constructor(packed: PackedReader, steps: Names, notes: StepNotes) {
    this.#packed = packed;
    this.#steps = steps;
    this.#notes = notes;
  }

  /** How well the outcome of a packed attempt is known. */
  gradeOf(number: number): Grade {
    const { grade } = this.#packed.formOf(this.#notes.settledOf(number));
    invariant(grade !== undefined, 'only settled attempts are asked');
    return grade;
  }

  /** When a packed attempt was settled. */
  settledAt(number: number): string {
    const settled = this.#notes.settledOf(number);
    return this.#packed.text(settled, this.#packed.formOf(settled).holes.at, this.#namesOf(number));
  }

  /** What a packed attempt asked for. */
  inputsOf(number: number): Json {
    return this.#packed.value(this.#intent(number), this.#namesOf(number));
  }

  /** True for an attempt whose inputs are known to be these, as they stand; told without making objects. */
  hasInputs(number: number, inputs: Json): boolean {
    const intent = this.#intent(number);
    return (
      !this.#packed.formOf(intent).hasPlaceholders &&
      this.#packed.isValue(intent, inputs, this.#namesOf(number))
    );
  }

  /** True when some of what it asked for is filled in from what it made. */
  isFilledIn(number: number): boolean {
    return this.#packed.formOf(this.#intent(number)).hasPlaceholders;
  }

  /** A member of what it asked for that is a text. */
  inputText(number: number, name: string): string | undefined {
    return this.#packed.memberText(this.#intent(number), name, this.#namesOf(number));
  }

  /** What it made. */
  outputsOf(number: number): Outputs {
    return this.#packed.value(this.#notes.settledOf(number), this.#namesOf(number)) as Outputs;
  }

  /** The ids in the answer to a packed attempt. */
  idsOf(number: number): JsonObject | undefined {
    let offset = this.#notes.has(number, NOTES.answered) ? this.#notes.lastOf(number) : 0;
    while (offset > 0 && this.#packed.formOf(offset).type !== 'step-answered')
      offset = this.#packed.previousOf(offset);
    if (offset === 0 || this.#packed.formOf(offset).value === undefined) return undefined;
    return this.#packed.value(offset, this.#namesOf(number)) as JsonObject;
  }

  #intent(number: number): number {
    let offset = this.#notes.lastOf(number);
    for (let before = this.#packed.previousOf(offset); before > 0; before = this.#packed.previousOf(offset))
      offset = before;
    return offset;
  }

  #namesOf(number: number): OwnNames {
    return new OwnNamesOf(this.#steps, number);
  }

  /**
   * True when every piece of evidence of a packed attempt names the very transaction that settled it, so that none can
   * speak of another effect; told without making objects.
   */
  isExplained(number: number): boolean {
    const settled = this.#notes.settledOf(number);
    const own = settled === 0 ? -1 : this.#packed.formOf(settled).holes.transaction;
    if (own < 0) return false;
    for (let offset = this.#notes.lastOf(number); offset > 0; offset = this.#packed.previousOf(offset)) {
      const { type, holes } = this.#packed.formOf(offset);
      if (type !== 'step-evidenced') continue;
      if (holes.transaction < 0) return false;
      if (!this.#packed.isSameValue([offset, holes.transaction], [settled, own])) return false;
    }
    return true;
  }

  /** The attempt as an object. */
  attempt(number: number): Attempt {
    const names = this.#namesOf(number);
    const offsets: number[] = [];
    for (let offset = this.#notes.lastOf(number); offset > 0; offset = this.#packed.previousOf(offset))
      offsets.push(offset);
    const intent = this.#packed.event(offsets.pop() ?? 0, names);
    invariant(intent.type === 'step-intended', 'a packed attempt begins with its intent');
    const evidence: StepEvidenced[] = [];
    const attempt: { -readonly [Member in keyof Attempt]: Attempt[Member] } = {
      ...beginAttempt(intent),
      evidence,
    };
    // What `advanceAttempt` makes of the few events that are packed, without a copy for each.
    for (let offset = offsets.pop(); offset !== undefined; offset = offsets.pop()) {
      const event = this.#packed.event(offset, names);
      if (event.type === 'step-answered') attempt.answered = event;
      else if (event.type === 'step-evidenced') evidence.push(event);
      else if (event.type === 'step-settled') attempt.settled = event;
    }
    return attempt;
  }
}
