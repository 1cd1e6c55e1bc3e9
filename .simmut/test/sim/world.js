import { Chain } from './chain.js';
import { Decisions } from './decisions.js';
import { SimDisk } from './disk.js';
import { groupsOf } from './groups.js';
import { JournalChecks } from './journal-checks.js';
import { Platform } from './platform.js';
import { Time } from './time.js';
/** An invariant that did not hold. */
export class Violation extends Error {
    invariant;
    constructor(invariant, message) {
        super(`${invariant}: ${message}`);
        this.invariant = invariant;
    }
}
/** Everything that outlives a process: disk, time, network, platform; and what happened in it. */
export class World {
    time = new Time();
    decisions;
    disk;
    platform;
    chain;
    profile;
    workload;
    plan;
    /** Who holds the callback port now. */
    listener;
    /** The platform answers nothing before this time. */
    downUntilMs = 0;
    /** Callback tokens that were sent out, which an attacker may have seen. */
    leaked = [];
    /** Tokens whose callbacks did not all go as an honest service sends them. */
    troubled = new Set();
    /** A callback was forged, so that what callbacks alone prove may be wrong. */
    forged = false;
    crashes = 0;
    /** Writes that the network delivered twice. */
    repeats = 0;
    writes = 0;
    reads = 0;
    tokens = 0;
    processes = 0;
    /** Who holds the run lock. */
    holder;
    /** What was ever confirmed, as text. */
    confirmed = new Map();
    journal = new JournalChecks(this);
    violation;
    #fail = () => undefined;
    /** Rejects with the first violation. */
    failed;
    constructor({ profile, workload, decisions, draw }, plan) {
        this.profile = profile;
        this.workload = workload;
        this.plan = plan;
        this.decisions = new Decisions(decisions, draw);
        this.disk = new SimDisk(this.decisions, this.time);
        this.platform = new Platform(this.time);
        this.chain = new Chain(this.time, (ms, run) => this.onPlatform(ms, run));
        this.failed = new Promise((_, reject) => {
            this.#fail = reject;
        });
        this.failed.catch(() => undefined);
    }
    /** Reports an invariant that did not hold; the run ends. */
    violate(invariant, message) {
        this.violation ??= new Violation(invariant, message);
        this.#fail(this.violation);
    }
    check(condition, invariant, message) {
        if (!condition)
            this.violate(invariant, message());
    }
    /** S2: nothing happened oftener than the plan has steps for it, but for what the network delivered twice. @param from the first effect that is new */
    checkEffects(from) {
        const { truth } = this.platform;
        const groups = groupsOf(this.plan);
        for (const { group } of truth.effects.slice(from)) {
            const steps = groups.members.get(group)?.length ?? 0;
            this.check(truth.of(group).length <= steps + this.repeats, 'S2', () => `${group} happened ${truth.of(group).length} times for ${steps} steps`);
        }
    }
    get isDown() {
        return this.time.nowMs < this.downUntilMs;
    }
    /** Lets something happen on the platform after a while; while it is down, later. */
    onPlatform(ms, run) {
        this.time.after(ms, () => {
            if (this.isDown)
                this.onPlatform(this.downUntilMs - this.time.nowMs + 20, run);
            else
                run();
        });
    }
    /** Sends a callback; again after each wait until it is answered 200. */
    send(token, body, waitsMs) {
        const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
        void (async () => {
            const status = await this.listener?.deliver(token, bytes);
            const [wait, ...rest] = waitsMs;
            if (status === 200 || wait === undefined)
                return;
            this.onPlatform(wait, () => this.send(token, body, rest));
        })();
    }
}
