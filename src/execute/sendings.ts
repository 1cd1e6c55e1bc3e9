import type { PlannedStep } from '../model/change.js';
import type { WriteAnswer } from './ports.js';
import type { Failure } from './refusal.js';

/** How the sendings of each step went in this run. */
export class Sendings {
  readonly #counts = new Map<PlannedStep, number>();
  readonly #failures = new Map<PlannedStep, Failure>();
  readonly #most: number;

  /** @param most sendings of one step in one run */
  constructor(most: number) {
    this.#most = most;
  }

  /** One more. */
  begin(planned: PlannedStep): void {
    this.#counts.set(planned, this.of(planned) + 1);
  }

  /** How many so far. */
  of(planned: PlannedStep): number {
    return this.#counts.get(planned) ?? 0;
  }

  /** True when the step may be sent once more. */
  leaveOne(planned: PlannedStep): boolean {
    return this.of(planned) < this.#most;
  }

  /** True when an answer says that nothing came of the last one, and another may be made. */
  mayRepeat(planned: PlannedStep, { outcome, status }: WriteAnswer): boolean {
    return (outcome === 'not_sent' || status === 429) && this.leaveOne(planned);
  }

  /** The last one had no effect, and no other is made in this run. */
  giveUp(planned: PlannedStep, failure: Failure): void {
    this.#failures.set(planned, failure);
  }

  /** How a step without effect counts for what comes after it. */
  failureOf(planned: PlannedStep): Failure {
    return this.#failures.get(planned) ?? 'failed';
  }
}
