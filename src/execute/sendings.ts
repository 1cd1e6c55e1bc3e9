import type { PlannedStep } from '../model/change.js';
import type { WriteAnswer } from './ports.js';

/** How the sendings of each step went in this run. */
export class Sendings {
  readonly #counts = new Map<PlannedStep, number>();
  readonly #unreached = new Set<PlannedStep>();
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

  /** The last one did not reach the service. */
  giveUp(planned: PlannedStep): void {
    this.#unreached.add(planned);
  }

  /** How a step without effect counts for what comes after it. */
  failureOf(planned: PlannedStep): 'failed' | 'unreachable' {
    return this.#unreached.has(planned) ? 'unreachable' : 'failed';
  }
}
