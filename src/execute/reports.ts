import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import { summarise, type Observer, type RunResult, type StepReport } from './result.js';

/** How the steps of a run ended: each once. */
export class Reports {
  readonly #ended = new Map<PlannedStep, StepReport>();
  readonly #observe: Observer;

  constructor(observe: Observer) {
    this.#observe = observe;
  }

  /** A step ended. */
  end(planned: PlannedStep, report: StepReport): void {
    this.#ended.set(planned, report);
    this.#observe({ type: 'step-ended', report });
  }

  /** A step was sent, and nobody waits for its outcome any more. */
  leaveOpen(planned: PlannedStep, step: StepId): void {
    const { id, resources } = planned;
    const message = 'it was sent; the next run looks for its outcome';
    this.end(planned, { id, resources, end: 'open', step, message });
  }

  /** A step was left out because of another one. */
  skip(planned: PlannedStep, because: PlannedStep): void {
    this.#leaveOut(planned, `${because.id} did not succeed`);
  }

  /** The result; steps that never ended are left out. */
  summary(steps: readonly PlannedStep[], stopped: boolean): RunResult {
    for (const planned of steps) {
      if (this.#ended.has(planned)) continue;
      this.#leaveOut(planned, stopped ? 'the run was stopped' : 'what it needs was not made in this run');
    }
    return summarise([...this.#ended.values()], stopped);
  }

  #leaveOut(planned: PlannedStep, message: string): void {
    this.end(planned, { id: planned.id, resources: planned.resources, end: 'skipped', message });
  }
}
