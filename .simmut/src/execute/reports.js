import { summarise } from './result.js';
/** How the steps of a run ended: each once. */
export class Reports {
    #ended = new Map();
    #observe;
    constructor(observe) {
        this.#observe = observe;
    }
    /** A step ended. */
    end(planned, report) {
        this.#ended.set(planned, report);
        this.#observe({ type: 'step-ended', report });
    }
    /** A step was left out because of another one. */
    skip(planned, because) {
        this.#leaveOut(planned, `${because.id} did not succeed`);
    }
    /** The result. What was sent and has not ended is open; other steps that never ended are left out. */
    summary(steps, stopped, state) {
        const sent = new Map(state.openAttempts.flatMap(({ step, resources }) => resources.map((id) => [id, step])));
        for (const planned of steps) {
            if (this.#ended.has(planned))
                continue;
            const step = planned.resources.map((id) => sent.get(id)).find((open) => open !== undefined);
            if (stopped && step !== undefined)
                this.#leaveOpen(planned, step);
            else
                this.#leaveOut(planned, stopped ? 'the run was stopped' : 'what it needs was not made in this run');
        }
        return summarise([...this.#ended.values()], stopped);
    }
    #leaveOpen(planned, step) {
        const { id, resources } = planned;
        const message = 'it was sent; the next run looks for its outcome';
        this.end(planned, { id, resources, end: 'open', step, message });
    }
    #leaveOut(planned, message) {
        this.end(planned, { id: planned.id, resources: planned.resources, end: 'skipped', message });
    }
}
