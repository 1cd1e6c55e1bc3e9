import { parseCertificateId } from '../model/id.js';
/**
 * Which step may begin. A step begins when all that it depends on is settled and it is the first of its lane, no other
 * step of the lane is being sent, and fewer than `maxInFlight` of the lane are unsettled (none, for an exclusive one).
 *
 * Lanes keep plan order even when a later step is ready sooner: the order of sending decides nonces, and with them
 * addresses and token ids, so two runs of one plan get the same ones. With `send_order: any` a lane does not wait for
 * answers: faster, and the service decides the order.
 */
export class Schedule {
    #maxInFlight;
    #sendOrder;
    #failFast;
    #lanes = new Map();
    #missing = new Map();
    #places;
    #dependents = new Map();
    #begun = new Set();
    /** By what made it so: the step that did not succeed. */
    #dropped = new Map();
    /** Lanes whose first step may have become ready. */
    #touched = new Set();
    /** @param steps dependencies first; `dependsOn` names only resources that these steps make */
    constructor(steps, maxInFlight, rules = {}) {
        this.#maxInFlight = maxInFlight;
        this.#sendOrder = rules.sendOrder ?? 'plan';
        this.#failFast = rules.failFast ?? false;
        this.#places = new Map(steps.map((step, place) => [step, place]));
        for (const step of steps) {
            this.#missing.set(step, step.dependsOn.length);
            for (const id of step.dependsOn) {
                const waiting = this.#dependents.get(id);
                if (waiting === undefined)
                    this.#dependents.set(id, [step]);
                else
                    waiting.push(step);
            }
            this.#lane(step).queue.push(step);
        }
    }
    /** Takes every step that may begin now. */
    take() {
        const begun = [];
        for (const lane of this.#touched) {
            this.#touched.delete(lane);
            for (let step = this.#next(lane); step !== undefined; step = this.#next(lane)) {
                if (lane.again[0] === step)
                    lane.again.shift();
                else
                    lane.head += 1;
                lane.sending = true;
                this.#begin(step, lane);
                begun.push(step);
            }
        }
        return begun;
    }
    /** A step that an earlier run began: it takes its place in the lane without being sent. */
    resume(step, doubted = false) {
        const lane = this.#lane(step);
        this.#begin(step, lane);
        if (doubted)
            lane.doubted.add(step);
    }
    /**
     * The step's request was answered (or will not be sent): the lane may send the next. Not in plan order when the answer
     * is in doubt: the lane waits until the outcome is known, so that the step keeps its place.
     */
    answered(step, doubted = false) {
        const lane = this.#lane(step);
        lane.sending = false;
        if (doubted)
            lane.doubted.add(step);
        this.#touched.add(lane);
    }
    /** The step is confirmed: what depends on it may begin. */
    confirmed(step) {
        this.#free(step);
        for (const id of step.resources)
            this.#release(id);
    }
    /**
     * The attempt had no effect: the step goes to the front of its lane, to be sent anew.
     *
     * @returns false when something that it needs did not succeed meanwhile; then it is still unsettled
     */
    again(step) {
        if (this.#dropped.has(step))
            return false;
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
    failed(step, outcome, made) {
        this.#free(step);
        if (this.#failFast)
            return this.#drop([...this.#places.keys()], step);
        const own = new Set(step.resources);
        for (const id of made)
            if (own.has(id))
                this.#release(id);
        const lost = step.resources.filter((id) => !made.has(id)).flatMap((id) => this.#dependents.get(id) ?? []);
        return this.#drop(lost.concat(this.#barredBy(step, outcome)), step);
    }
    /** The step whose failure keeps another one, begun or not, from being sent; undefined when it may be. */
    culpritOf(step) {
        return this.#dropped.get(step);
    }
    /** What the outcome of a step keeps from being sent although it does not need the step. */
    #barredBy(step, outcome) {
        const { queue, head, again } = this.#lane(step);
        if (outcome === 'barred') {
            const batch = parseCertificateId(step.id)?.batch;
            return queue.filter((other) => other !== step && parseCertificateId(other.id)?.batch === batch);
        }
        const closed = outcome === 'unreachable' || (outcome === 'undecided' && this.#maxInFlight === 1);
        return closed ? [...queue.slice(head), ...again] : [];
    }
    #drop(lost, culprit) {
        const dropped = [];
        for (let next = lost.pop(); next !== undefined; next = lost.pop()) {
            if (this.#dropped.has(next))
                continue;
            this.#dropped.set(next, culprit);
            if (this.#begun.has(next))
                continue;
            dropped.push(next);
            this.#touched.add(this.#lane(next));
            for (const id of next.resources)
                for (const needy of this.#dependents.get(id) ?? [])
                    lost.push(needy);
        }
        const place = (step) => this.#places.get(step) ?? 0;
        return dropped.sort((a, b) => place(a) - place(b));
    }
    /** The first of a lane, if it may begin now. */
    #next(lane) {
        const step = this.#first(lane);
        if (step === undefined || this.#missing.get(step) !== 0)
            return undefined;
        const limit = step.exclusive === true ? 1 : this.#maxInFlight;
        const held = (lane.sending || lane.doubted.size > 0) && this.#sendOrder === 'plan';
        return !held && lane.exclusive === 0 && lane.unsettled < limit ? step : undefined;
    }
    #begin(step, lane) {
        this.#begun.add(step);
        lane.unsettled += 1;
        if (step.exclusive === true)
            lane.exclusive += 1;
    }
    #release(id) {
        for (const dependent of this.#dependents.get(id) ?? []) {
            this.#missing.set(dependent, (this.#missing.get(dependent) ?? 0) - 1);
            this.#touched.add(this.#lane(dependent));
        }
    }
    #free(step) {
        const lane = this.#lane(step);
        lane.unsettled -= 1;
        lane.doubted.delete(step);
        if (step.exclusive === true)
            lane.exclusive -= 1;
        this.#touched.add(lane);
    }
    /** The next step of a lane; what was dropped, or resumed in place, is passed over. */
    #first(lane) {
        while (lane.again[0] !== undefined && this.#dropped.has(lane.again[0]))
            lane.again.shift();
        if (lane.again[0] !== undefined)
            return lane.again[0];
        for (; lane.head < lane.queue.length; lane.head += 1) {
            const step = lane.queue[lane.head];
            if (step !== undefined && !this.#dropped.has(step) && !this.#begun.has(step))
                return step;
        }
        return undefined;
    }
    #lane(step) {
        const known = this.#lanes.get(step.lane);
        if (known !== undefined)
            return known;
        const lane = {
            queue: [],
            head: 0,
            again: [],
            sending: false,
            doubted: new Set(),
            unsettled: 0,
            exclusive: 0,
        };
        this.#lanes.set(step.lane, lane);
        this.#touched.add(lane);
        return lane;
    }
}
