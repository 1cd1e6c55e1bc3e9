import type { PlannedStep } from '../model/change.js';

/** Where steps that are ready wait until they may be sent. */
export class Gate {
  readonly #waiting = new Map<PlannedStep, () => void>();

  /** Waits until the step is let through. */
  wait(step: PlannedStep): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(step, resolve);
    });
  }

  /** Lets a step through, if it waits. */
  open(step: PlannedStep): void {
    this.#waiting.get(step)?.();
    this.#waiting.delete(step);
  }

  /** Lets all through. */
  openAll(): void {
    for (const step of this.#waiting.keys()) this.open(step);
  }
}
