import type { PlannedStep } from '../model/change.js';
import { parseCertificateId, type ResourceId } from '../model/id.js';
import { Lane, type LaneLimits } from './lane.js';
import type { Failure } from './refusal.js';

/** How a schedule differs from the default. */
export interface ScheduleRules {
  /** Default: `plan`. */
  readonly sendOrder?: 'plan' | 'any';
  /** Nothing begins once a step did not succeed. Default: what does not need that step goes on. */
  readonly failFast?: boolean;
}

/**
 * Which step may begin, and which may be sent. A step begins when all that it depends on is settled and it is the first of
 * its lane, no other step of the lane is being sent, and fewer than `maxInFlight` of the lane are unsettled (none, for an
 * exclusive one).
 *
 * Lanes keep plan order even when a later step is ready sooner: the order of sending decides nonces, and with them
 * addresses and token ids, so two runs of one plan get the same ones. With `send_order: any` a lane does not wait for
 * answers: faster, and the service decides the order. There as many steps again begin ahead, unless only one may be in
 * flight: they are made ready, and wait for a place in flight before they are sent.
 */
export class Schedule {
  readonly #maxInFlight: number;
  readonly #limits: LaneLimits;
  readonly #sendOrder: 'plan' | 'any';
  readonly #failFast: boolean;
  readonly #lanes = new Map<string, Lane>();
  readonly #missing = new Map<PlannedStep, number>();
  readonly #places: ReadonlyMap<PlannedStep, number>;
  readonly #dependents = new Map<ResourceId, PlannedStep[]>();
  readonly #begun = new Set<PlannedStep>();
  /** By what made it so: the step that did not succeed. */
  readonly #dropped = new Map<PlannedStep, PlannedStep>();
  /** Lanes whose first step may have become ready. */
  readonly #touched = new Set<Lane>();

  /** @param steps dependencies first; `dependsOn` names only resources that these steps make */
  constructor(steps: readonly PlannedStep[], maxInFlight: number, rules: ScheduleRules = {}) {
    this.#maxInFlight = maxInFlight;
    this.#sendOrder = rules.sendOrder ?? 'plan';
    this.#failFast = rules.failFast ?? false;
    const isAhead = this.#sendOrder === 'any' && maxInFlight > 1;
    this.#limits = { inFlight: maxInFlight, begun: isAhead ? 2 * maxInFlight : maxInFlight };
    this.#places = new Map(steps.map((step, place) => [step, place]));
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
      for (let step = this.#next(lane); step !== undefined; step = this.#next(lane)) {
        if (lane.again[0] === step) lane.again.shift();
        else lane.head += 1;
        lane.sending = true;
        lane.begin(step);
        this.#begun.add(step);
        begun.push(step);
      }
    }
    return begun;
  }

  /** A step that an earlier run began: it takes its place in the lane without being sent. */
  resume(step: PlannedStep, doubted = false): void {
    const lane = this.#lane(step);
    lane.resume(step);
    this.#begun.add(step);
    if (doubted) lane.doubted.add(step);
  }

  /**
   * A step is ready to be sent, and asks for its place in flight, which it keeps until it is settled.
   *
   * @param first true: it goes before those that wait
   * @returns false when it has to wait until {@link admit} names it
   */
  enter(step: PlannedStep, first: boolean): boolean {
    return this.#lane(step).enter(step, first);
  }

  /** The steps that wait no longer: they got their place, or are not to be sent any more. To be called before {@link take}. */
  admit(): readonly PlannedStep[] {
    const going: PlannedStep[] = [];
    for (const lane of this.#touched)
      if (lane.hasWaiting) going.push(...lane.admit((step) => this.#dropped.has(step)));
    return going;
  }

  /** Nothing is sent of a step that had begun: its place is another's. */
  left(step: PlannedStep): void {
    this.answered(step);
    this.#free(step);
  }

  /**
   * The step's request was answered (or will not be sent): the lane may send the next. Not in plan order when the answer
   * is in doubt: the lane waits until the outcome is known, so that the step keeps its place.
   */
  answered(step: PlannedStep, doubted = false): void {
    const lane = this.#lane(step);
    lane.sending = false;
    if (doubted) lane.doubted.add(step);
    this.#touched.add(lane);
  }

  /** The step is confirmed: what depends on it may begin. */
  confirmed(step: PlannedStep): void {
    this.#free(step);
    for (const id of step.resources) this.#release(id);
  }

  /**
   * The attempt had no effect: the step goes to the front of its lane, to be sent anew.
   *
   * @returns false when something that it needs did not succeed meanwhile; then it is still unsettled
   */
  again(step: PlannedStep): boolean {
    if (this.#dropped.has(step)) return false;
    this.#free(step);
    this.#begun.delete(step);
    this.#lane(step).again.push(step);
    return true;
  }

  /**
   * The step did not succeed: everything that needs it is dropped, but for what needs only the resources that exist all
   * the same. When its outcome is unknown and its wallet has one write at a time, the rest of its lane is dropped too:
   * that write may still be under way. So is it when the service cannot be reached: what comes later in the lane shall
   * not overtake what comes first. When the service refuses what a whole batch asks for, the rest of the batch is. With
   * `failFast` everything is dropped. The outcome of a step that already began counts as it is; it is not sent again.
   *
   * @param made resources that exist all the same (a batch that failed half-way)
   * @returns the dropped steps, in plan order
   */
  failed(
    step: PlannedStep,
    outcome: Failure | 'undecided',
    made: ReadonlySet<ResourceId>,
  ): readonly PlannedStep[] {
    this.#free(step);
    if (this.#failFast) return this.#drop([...this.#places.keys()], step);
    const own = new Set(step.resources);
    for (const id of made) if (own.has(id)) this.#release(id);
    const lost = step.resources.filter((id) => !made.has(id)).flatMap((id) => this.#dependents.get(id) ?? []);
    return this.#drop(lost.concat(this.#barredBy(step, outcome)), step);
  }

  /** The step whose failure keeps another one, begun or not, from being sent; undefined when it may be. */
  culpritOf(step: PlannedStep): PlannedStep | undefined {
    return this.#dropped.get(step);
  }

  /** What the outcome of a step keeps from being sent although it does not need the step. */
  #barredBy(step: PlannedStep, outcome: Failure | 'undecided'): readonly PlannedStep[] {
    const { queue, head, again, ahead } = this.#lane(step);
    if (outcome === 'barred') {
      const batch = parseCertificateId(step.id)?.batch;
      return queue.filter((other) => other !== step && parseCertificateId(other.id)?.batch === batch);
    }
    const closed = outcome === 'unreachable' || (outcome === 'undecided' && this.#maxInFlight === 1);
    return closed ? [...queue.slice(head), ...again, ...ahead] : [];
  }

  #drop(lost: PlannedStep[], culprit: PlannedStep): readonly PlannedStep[] {
    const dropped: PlannedStep[] = [];
    for (let next = lost.pop(); next !== undefined; next = lost.pop()) {
      if (this.#dropped.has(next)) continue;
      this.#dropped.set(next, culprit);
      this.#touched.add(this.#lane(next));
      if (this.#begun.has(next)) continue;
      dropped.push(next);
      for (const id of next.resources) for (const needy of this.#dependents.get(id) ?? []) lost.push(needy);
    }
    const place = (step: PlannedStep): number => this.#places.get(step) ?? 0;
    return dropped.sort((a, b) => place(a) - place(b));
  }

  /** The first of a lane, if it may begin now. */
  #next(lane: Lane): PlannedStep | undefined {
    const step = this.#first(lane);
    if (step === undefined || this.#missing.get(step) !== 0) return undefined;
    const held = (lane.sending || lane.doubted.size > 0) && this.#sendOrder === 'plan';
    return !held && lane.hasRoom(step.exclusive === true) ? step : undefined;
  }

  #release(id: ResourceId): void {
    for (const dependent of this.#dependents.get(id) ?? []) {
      this.#missing.set(dependent, (this.#missing.get(dependent) ?? 0) - 1);
      this.#touched.add(this.#lane(dependent));
    }
  }

  #free(step: PlannedStep): void {
    const lane = this.#lane(step);
    lane.free(step);
    this.#touched.add(lane);
  }

  /** The next step of a lane; what was dropped, or resumed in place, is passed over. */
  #first(lane: Lane): PlannedStep | undefined {
    while (lane.again[0] !== undefined && this.#dropped.has(lane.again[0])) lane.again.shift();
    if (lane.again[0] !== undefined) return lane.again[0];
    for (; lane.head < lane.queue.length; lane.head += 1) {
      const step = lane.queue[lane.head];
      if (step !== undefined && !this.#dropped.has(step) && !this.#begun.has(step)) return step;
    }
    return undefined;
  }

  #lane(step: PlannedStep): Lane {
    const known = this.#lanes.get(step.lane);
    if (known !== undefined) return known;
    const lane = new Lane(this.#limits);
    this.#lanes.set(step.lane, lane);
    this.#touched.add(lane);
    return lane;
  }
}
