import type { PlannedStep } from '../model/change.js';

/** How many steps of a lane may be under way. */
export interface LaneLimits {
  /** Sent, and not settled. */
  readonly inFlight: number;
  /** Begun, and not settled; more than may be in flight where steps are made ready ahead. */
  readonly begun: number;
}

/** The writes that one wallet signs: which are to begin, which are made ready, and which are in flight. */
export class Lane {
  /** In plan order; those before `head` were taken. */
  readonly queue: PlannedStep[] = [];
  head = 0;
  /** Steps whose last attempt had no effect: they go before the rest of the queue. */
  readonly again: PlannedStep[] = [];
  sending = false;
  /** Steps whose answer was lost: until their outcome is known, they may have to be sent again in their place. */
  readonly doubted = new Set<PlannedStep>();
  readonly #limits: LaneLimits;
  /** Begun, without a place in flight. */
  readonly #ahead = new Set<PlannedStep>();
  readonly #inFlight = new Set<PlannedStep>();
  /** Those of {@link ahead} that are ready to be sent, the next first. */
  readonly #waiting: PlannedStep[] = [];
  /** Unsettled steps that let no other begin. */
  #exclusive = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Steps that began and have no place in flight. */
  get ahead(): Iterable<PlannedStep> {
    return this.#ahead;
  }

  /** True when one more step may begin. An exclusive one goes alone. */
  hasRoom(exclusive: boolean): boolean {
    const unsettled = this.#ahead.size + this.#inFlight.size;
    return this.#exclusive === 0 && unsettled < (exclusive ? 1 : this.#limits.begun);
  }

  begin(step: PlannedStep): void {
    this.#ahead.add(step);
    if (step.exclusive === true) this.#exclusive += 1;
  }

  /** Gives a step a place in flight although there may be none: it was sent already. */
  resume(step: PlannedStep): void {
    this.begin(step);
    this.#fly(step);
  }

  /**
   * Asks for a place in flight; who has one keeps it until it is settled.
   *
   * @param first true: it goes before those that wait
   * @returns false when there is none: the step waits until {@link admit} names it
   */
  enter(step: PlannedStep, first: boolean): boolean {
    if (this.#inFlight.has(step)) return true;
    if (this.#inFlight.size < this.#limits.inFlight) this.#fly(step);
    else if (first) this.#waiting.unshift(step);
    else this.#waiting.push(step);
    return this.#inFlight.has(step);
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Those that wait no longer: they got a place, or are dropped. */
  admit(isDropped: (step: PlannedStep) => boolean): readonly PlannedStep[] {
    const going: PlannedStep[] = [];
    for (let step = this.#waiting[0]; step !== undefined; step = this.#waiting[0]) {
      if (!isDropped(step)) {
        if (this.#inFlight.size >= this.#limits.inFlight) break;
        this.#fly(step);
      }
      this.#waiting.shift();
      going.push(step);
    }
    return going;
  }

  /** The step is settled, or nothing of it is sent. */
  free(step: PlannedStep): void {
    const was = this.#ahead.delete(step) || this.#inFlight.delete(step);
    this.doubted.delete(step);
    if (was && step.exclusive === true) this.#exclusive -= 1;
  }

  #fly(step: PlannedStep): void {
    this.#ahead.delete(step);
    this.#inFlight.add(step);
  }
}
