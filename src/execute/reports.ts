import type { PlannedStep } from '../model/change.js';
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

  /** A step was left out. */
  skip(planned: PlannedStep, message: string): void {
    this.end(planned, { id: planned.id, resources: planned.resources, end: 'skipped', message });
  }

  /** The result; steps that never ended are left out. */
  summary(steps: readonly PlannedStep[], stopped: boolean): RunResult {
    for (const planned of steps) {
      if (this.#ended.has(planned)) continue;
      this.skip(planned, stopped ? 'the run was stopped' : 'what it needs was not made in this run');
    }
    return summarise([...this.#ended.values()], stopped);
  }
}
