import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import { summarise, type Observer, type RunResult, type StepReport } from './result.js';

/** How the steps of a run ended: each once. */
export class Reports {
  readonly #ended = new Map<PlannedStep, StepReport>();
  readonly #observe: Observer;
  readonly #failFast: boolean;
  /** The first step that did not succeed. */
  #failure: PlannedStep | undefined;

  constructor(observe: Observer, failFast: boolean) {
    this.#observe = observe;
    this.#failFast = failFast;
  }

  /** True once a step did not succeed in a run that ends at its first failure: nothing more is sent. */
  get isEnded(): boolean {
    return this.#failFast && this.#failure !== undefined;
  }

  /** A step ended. */
  end(planned: PlannedStep, report: StepReport): void {
    this.#ended.set(planned, report);
    if (report.end === 'failed' || report.end === 'undecided') this.#failure ??= planned;
    this.#observe({ type: 'step-ended', report });
  }

  /** A step was sent, and nobody waits for its outcome any more. */
  leaveOpen(planned: PlannedStep, step: StepId): void {
    const { id, resources } = planned;
    const message = 'it was sent; the next run looks for its outcome';
    this.end(planned, { id, resources, end: 'open', step, message });
  }

  /** A step was left out. */
  skip(planned: PlannedStep, message: string): void {
    this.end(planned, { id: planned.id, resources: planned.resources, end: 'skipped', message });
  }

  /** The result; steps that never ended are left out. */
  summary(steps: readonly PlannedStep[], stopped: boolean): RunResult {
    for (const planned of steps) {
      if (this.#ended.has(planned)) continue;
      this.skip(planned, stopped ? 'the run was stopped' : this.#whyLeftOut());
    }
    return summarise([...this.#ended.values()], stopped);
  }

  #whyLeftOut(): string {
    if (!this.isEnded) return 'what it needs was not made in this run';
    return `${this.#failure?.id} did not succeed`;
  }
}
