import { digestOf, type Digest } from '../model/canonical.js';
import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
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
    // Its address came with the outcome.
    return (this.#inputs ??= fillPlaceholders(this.#attempts.packed.inputsOf(this.#attempt), (other) =>
      other === this.id ? this.outputs.address : undefined,
    ));
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
