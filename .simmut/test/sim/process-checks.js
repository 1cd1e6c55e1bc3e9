import { digestOf, digestOfBytes } from '../../src/model/canonical.js';
import { publicView } from '../../src/model/value.js';
import { isOpen } from '../../src/state/attempt.js';
import { PATHS } from './place.js';
import { checkProven } from './proven.js';
import { NAMED_ADDRESSES } from './workloads.js';
/** Invariants that are about what one process does, checked while it does it. */
export class ProcessChecks {
    #world;
    #acknowledged = new Map();
    #state;
    #changeSet;
    /** Attempts of earlier processes. */
    #inherited = new Set();
    constructor(world) {
        this.#world = world;
    }
    /** S12, S10: the process holds the run lock and has opened the journal. */
    locked(state) {
        const world = this.#world;
        world.check(world.holder === undefined, 'S12', () => 'two processes hold the run lock');
        world.holder = this;
        this.#state = state.state;
        this.#inherited = new Set(state.state.attempts.keys());
        world.journal.opened(world.disk.bytes(PATHS.journal) ?? Buffer.alloc(0));
    }
    unlocked() {
        if (this.#world.holder === this)
            this.#world.holder = undefined;
    }
    planned(changeSet) {
        this.#changeSet = changeSet;
    }
    /** The journal, noting what it promised to keep. */
    watch(journal, isAlive) {
        return {
            append: async (events) => {
                await journal.append(events);
                if (isAlive())
                    this.#world.journal.kept(events, this.#world.disk.durableBytes(PATHS.journal));
            },
        };
    }
    /** S1, S13, S14, S15, S21: the first byte of a write leaves. */
    firstByte(request, url) {
        const world = this.#world;
        const state = this.#state;
        const journal = world.disk.durableBytes(PATHS.journal) ?? Buffer.alloc(0);
        const digest = digestOf(publicView(request));
        world.check(world.holder === this, 'S12', () => `a process without the run lock sends ${request.endpoint}`);
        world.check(journal.lastIndexOf(`"request":"${digest}"`) >= 0, 'S1', () => `${request.endpoint} is sent before its intent is durable`);
        const token = url?.split('/').at(-1);
        if (token !== undefined) {
            const known = (world.disk.durableBytes(PATHS.tokens)?.lastIndexOf(token) ?? -1) >= 0;
            const intended = journal.lastIndexOf(`"token":"${digestOfBytes(token)}"`) >= 0;
            world.check(known && intended, 'S1', () => `${request.endpoint} gives a token away that is not durable`);
        }
        if (state === undefined)
            return world.violate('S12', 'a write without a state');
        const attempt = [...state.attempts.values()].findLast((item) => item.request === digest);
        const planned = this.#changeSet?.steps.some(({ resources }) => attempt?.resources.some((id) => resources.includes(id)));
        world.check(planned === true, 'S13', () => `${request.endpoint} is not in the change set`);
        if (attempt === undefined)
            return;
        this.#checkSubstituted(request, attempt.resources, state);
        this.#checkLane(attempt.lane, state);
    }
    /** S15 */
    #checkSubstituted({ body, endpoint }, made, state) {
        const world = this.#world;
        const resources = new Map(world.plan.resources.map((item) => [item.id, item]));
        for (const id of made.flatMap((own) => resources.get(own)?.dependsOn ?? [])) {
            const inputs = resources.get(id)?.inputs;
            if (made.includes(id) || inputs === undefined || resources.get(id)?.kind === 'deployment')
                continue;
            world.check(state.lock?.entries.has(id) === true, 'S15', () => `${endpoint} is sent before ${id} is confirmed`);
        }
        if (world.forged)
            return;
        const known = new Set(world.platform.truth.effects.flatMap(({ address }) => address?.toLowerCase() ?? []));
        for (const address of JSON.stringify(body)
            .toLowerCase()
            .match(/0x[0-9a-f]{40}\b/g) ?? [])
            world.check(known.has(address) || NAMED_ADDRESSES.has(address), 'S15', () => `${endpoint} uses ${address}, which nothing has`);
    }
    /** S21 */
    #checkLane(lane, state) {
        const inLane = [...state.attempts.values()].filter((item) => item.lane === lane && isOpen(item) && item.duplicates.length === 0);
        const { maxInFlight: limit, sendOrder } = this.#world.plan.environment;
        this.#world.check(inLane.length <= limit, 'S21', () => `${inLane.length} unsettled writes in ${lane}`);
        if (sendOrder === 'any')
            return;
        const own = inLane.filter((item) => item.answered === undefined && !this.#inherited.has(item.step));
        this.#world.check(own.length <= 1, 'S21', () => `${own.length} requests under way in ${lane}`);
    }
    /** S4, S5, S6: something was settled. S10: what is told is durable. */
    observed(event) {
        const state = this.#state;
        if (state === undefined)
            return;
        if (event.type === 'step-ended')
            this.#checkEnded(event.report);
        if (!('at' in event))
            return;
        const journaled = event;
        this.#checkKept(JSON.stringify(journaled), `${journaled.type} is told before it is durable`);
        if (journaled.type === 'step-settled' || journaled.type === 'resource-adopted')
            checkProven(this.#world, state);
    }
    #checkEnded({ end, step }) {
        if (step === undefined || end === 'skipped' || end === 'open')
            return;
        const settled = `"type":"step-settled","step":"${step}","state":"${end}"`;
        this.#checkKept(settled, `the end of ${step} is told before it is durable`);
    }
    #checkKept(text, message) {
        const durable = this.#world.disk.durableBytes(PATHS.journal);
        this.#world.check((durable?.lastIndexOf(text) ?? -1) >= 0, 'S10', () => message);
    }
    /** S9: a token that was never given away. */
    strange(token, status) {
        this.#world.check(!this.#world.leaked.includes(token), 'S9', () => 'a token of an attempt is not known any more');
        return status;
    }
    /** S8: 200 was said. */
    acknowledged(step, bytes) {
        const bodies = this.#acknowledged.get(step) ?? new Set();
        this.#acknowledged.set(step, bodies.add(digestOfBytes(bytes)));
        const journal = this.#world.disk.durableBytes(PATHS.journal)?.toString('latin1') ?? '';
        const kept = journal.split(`"type":"step-evidenced","step":"${step}"`).length - 1;
        this.#world.check(kept >= Math.min(bodies.size, 16), 'S8', () => `a callback for ${step} is acknowledged and not kept`);
    }
}
