import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import type { LineageState } from '../state/project.js';
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

  /** A step was left out because of another one. */
  skip(planned: PlannedStep, because: PlannedStep): void {
    this.#leaveOut(planned, `${because.id} did not succeed`);
  }

  /** The result. What was sent and has not ended is open; other steps that never ended are left out. */
  summary(steps: readonly PlannedStep[], stopped: boolean, state: LineageState): RunResult {
    const sent = new Map(
      state.openAttempts.flatMap(({ step, resources }) => resources.map((id) => [id, step] as const)),
    );
    for (const planned of steps) {
      if (this.#ended.has(planned)) continue;
      const step = planned.resources.map((id) => sent.get(id)).find((open) => open !== undefined);
      if (stopped && step !== undefined) this.#leaveOpen(planned, step);
      else
        this.#leaveOut(planned, stopped ? 'the run was stopped' : 'what it needs was not made in this run');
    }
    return summarise([...this.#ended.values()], stopped);
  }

  #leaveOpen(planned: PlannedStep, step: StepId): void {
    const { id, resources } = planned;
    const message = 'it was sent; the next run looks for its outcome';
    this.end(planned, { id, resources, end: 'open', step, message });
  }

  #leaveOut(planned: PlannedStep, message: string): void {
    this.end(planned, { id: planned.id, resources: planned.resources, end: 'skipped', message });
  }
}
