import type { PlannedStep } from '../model/change.js';
import type { ResourceId } from '../model/id.js';

interface Lane {
  /** Steps not begun yet, in plan order. */
  readonly queue: PlannedStep[];
  sending: boolean;
  unsettled: number;
}

/**
 * Which step may begin. A step begins when all that it depends on is settled and it is the first of its lane, no other
 * step of the lane is being sent, and fewer than `maxInFlight` of the lane are unsettled.
 *
 * Lanes keep plan order even when a later step is ready sooner: the order of sending decides nonces, and with them
 * addresses and token ids, so two runs of one plan get the same ones.
 */
export class Schedule {
  readonly #maxInFlight: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #missing = new Map<PlannedStep, number>();
  readonly #dependents = new Map<ResourceId, PlannedStep[]>();
  readonly #dropped = new Set<PlannedStep>();
  /** Lanes whose first step may have become ready. */
  readonly #touched = new Set<Lane>();

  /** @param steps dependencies first; `dependsOn` names only resources that these steps make */
  constructor(steps: readonly PlannedStep[], maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
    for (const step of steps) {
      this.#missing.set(step, step.dependsOn.length);
      for (const id of step.dependsOn) {
        const waiting = this.#dependents.get(id);
        if (waiting === undefined) this.#dependents.set(id, [step]);
        else waiting.push(step);
      }
      this.#lane(step).queue.push(step);
    }
  }

  /** Takes every step that may begin now. */
  take(): readonly PlannedStep[] {
    const begun: PlannedStep[] = [];
    for (const lane of this.#touched) {
      this.#touched.delete(lane);
      const step = this.#first(lane);
      if (
        step === undefined ||
        lane.sending ||
        lane.unsettled >= this.#maxInFlight ||
        this.#missing.get(step) !== 0
      )
        continue;
      lane.queue.shift();
      lane.sending = true;
      lane.unsettled += 1;
      begun.push(step);
    }
    return begun;
  }

  /** A step that an earlier run began: it takes its place in the lane without being sent. */
  resume(step: PlannedStep): void {
    const lane = this.#lane(step);
    lane.queue.splice(lane.queue.indexOf(step), 1);
    lane.unsettled += 1;
  }

  /** The step's request was answered (or will not be sent): the lane may send the next. */
  answered(step: PlannedStep): void {
    const lane = this.#lane(step);
    lane.sending = false;
    this.#touched.add(lane);
  }

  /** The step is confirmed: what depends on it may begin. */
  confirmed(step: PlannedStep): void {
    this.#free(step);
    for (const id of step.resources) this.#release(id);
  }

  /**
   * The step did not succeed: everything that needs it is dropped, but for what needs only the resources that exist all
   * the same. When its outcome is unknown and its wallet has one write at a time, the rest of its lane is dropped too:
   * that write may still be under way.
   *
   * @param made resources that exist all the same (a batch that failed half-way)
   * @returns the dropped steps
   */
  failed(
    step: PlannedStep,
    outcome: 'failed' | 'undecided',
    made: ReadonlySet<ResourceId>,
  ): readonly PlannedStep[] {
    this.#free(step);
    for (const id of made) this.#release(id);
    const lost = step.resources.filter((id) => !made.has(id)).flatMap((id) => this.#dependents.get(id) ?? []);
    if (outcome === 'undecided' && this.#maxInFlight === 1) lost.push(...this.#lane(step).queue);
    const dropped: PlannedStep[] = [];
    for (let next = lost.pop(); next !== undefined; next = lost.pop()) {
      if (this.#dropped.has(next)) continue;
      this.#dropped.add(next);
      dropped.push(next);
      this.#touched.add(this.#lane(next));
      lost.push(...next.resources.flatMap((id) => this.#dependents.get(id) ?? []));
    }
    return dropped;
  }

  #release(id: ResourceId): void {
    for (const dependent of this.#dependents.get(id) ?? []) {
      this.#missing.set(dependent, (this.#missing.get(dependent) ?? 0) - 1);
      this.#touched.add(this.#lane(dependent));
    }
  }

  #free(step: PlannedStep): void {
    const lane = this.#lane(step);
    lane.unsettled -= 1;
    this.#touched.add(lane);
  }

  #first(lane: Lane): PlannedStep | undefined {
    for (;;) {
      const [step] = lane.queue;
      if (step === undefined || !this.#dropped.has(step)) return step;
      lane.queue.shift();
    }
  }

  #lane(step: PlannedStep): Lane {
    const known = this.#lanes.get(step.lane);
    if (known !== undefined) return known;
    const lane: Lane = { queue: [], sending: false, unsettled: 0 };
    this.#lanes.set(step.lane, lane);
    this.#touched.add(lane);
    return lane;
  }
}
