import { digestOf, isSameJson, type Digest } from '../model/canonical.js';
import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import { textMember, type Json } from '../model/json.js';
import { fillPlaceholders } from '../model/value.js';
import type { AttemptBook } from './attempt-book.js';
import type { Grade, Outputs } from './event.js';
import type { LockEntry } from './lock.js';

/**
 * An entry of which most parts are read when they are asked for: many are only known to be there, or compared by one of
 * them. It has no members of its own to spread; `renamedEntry` copies it.
 */
export class PackedEntry implements LockEntry {
  readonly id: ResourceId;
  readonly #attempts: AttemptBook;
  readonly #attempt: number;
  #inputs: Json | undefined;
  #outputs: Outputs | undefined;

  /** @param attempt the number of the packed attempt that made it */
  constructor(id: ResourceId, attempts: AttemptBook, attempt: number) {
    this.id = id;
    this.#attempts = attempts;
    this.#attempt = attempt;
  }

  get kind(): KindName {
    return kindOf(this.id);
  }

  get inputs(): Json {
    return (this.#inputs ??= this.#makeInputs());
  }

  #makeInputs(): Json {
    const { packed } = this.#attempts;
    const inputs = packed.inputsOf(this.#attempt);
    if (!packed.isFilledIn(this.#attempt)) return inputs;
    // Its address came with the outcome.
    return fillPlaceholders(inputs, (other) => (other === this.id ? this.outputs.address : undefined));
  }

  /** True when the inputs are known to be equal; false says nothing. */
  hasInputs(inputs: Json): boolean {
    return this.#attempts.packed.hasInputs(this.#attempt, inputs);
  }

  /** The member of the inputs that is a text, when it can be told without the others. */
  inputText(name: string): string | undefined {
    const { packed } = this.#attempts;
    return packed.isFilledIn(this.#attempt) ? undefined : packed.inputText(this.#attempt, name);
  }

  get digest(): Digest {
    return digestOf(this.inputs);
  }

  get outputs(): Outputs {
    return (this.#outputs ??= this.#attempts.packed.outputsOf(this.#attempt));
  }

  get grade(): Grade {
    return this.#attempts.packed.gradeOf(this.#attempt);
  }

  get at(): string {
    return this.#attempts.packed.settledAt(this.#attempt);
  }

  get step(): StepId {
    return this.#attempts.stepOf(this.#attempt);
  }
}

/** True when the inputs of an entry are equal to others; most often without making them. */
export function hasInputs(entry: LockEntry, inputs: Json): boolean {
  if (entry instanceof PackedEntry && entry.hasInputs(inputs)) return true;
  return isSameJson(entry.inputs, inputs);
}

/** A member of an entry's inputs that is a text; most often without making the others. */
export function inputText(entry: LockEntry | undefined, name: string): string | undefined {
  const told = entry instanceof PackedEntry ? entry.inputText(name) : undefined;
  return told ?? textMember(entry?.inputs, name);
}
