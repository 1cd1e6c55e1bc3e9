import type { Plan } from '../../src/model/plan.js';
import type { Json } from '../../src/model/json.js';
import { Chain } from './chain.js';
import { Decisions, type Decision, type Draw } from './decisions.js';
import { SimDisk } from './disk.js';
import { groupsOf } from './groups.js';
import { JournalChecks } from './journal-checks.js';
import { Platform } from './platform.js';
import { isOwn, type Profile } from './profiles.js';
import { Strays } from './strays.js';
import { Time } from './time.js';
import type { Workload } from './workloads.js';

/** An invariant that did not hold. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** What one simulated run is about. */
export interface Scenario {
  readonly profile: Profile;
  readonly workload: Workload;
  readonly decisions: readonly Decision[];
  readonly draw?: Draw;
}

/** Takes callbacks in the name of a process. */
export interface Listener {
  readonly owner: object;
  /** The HTTP status that the sender gets; undefined when the process died over it. */
  deliver(token: string, bytes: Uint8Array): Promise<number | undefined>;
}

/** Everything that outlives a process: disk, time, network, platform; and what happened in it. */
export class World {
  readonly time = new Time();
  readonly decisions: Decisions;
  readonly disk: SimDisk;
  readonly platform: Platform;
  readonly chain: Chain;
  readonly strays = new Strays();
  readonly profile: Profile;
  readonly workload: Workload;
  plan: Plan;
  /** Who holds the callback port now. */
  listener: Listener | undefined;
  /** The platform answers nothing before this time. */
  downUntilMs = 0;
  /** Callback tokens that were sent out, which an attacker may have seen. */
  readonly leaked: string[] = [];
  /** Tokens whose callbacks did not all go as an honest service sends them. */
  readonly troubled = new Set<string>();
  /** A callback was forged, so that what callbacks alone prove may be wrong. */
  forged = false;
  crashes = 0;
  /** Writes that the network delivered twice. */
  repeats = 0;
  writes = 0;
  reads = 0;
  tokens = 0;
  processes = 0;
  /** Something on the way takes the headers off that only our own platform knows. */
  isUnsigned = false;
  /** The clock is put right while the next request is under way. */
  isClockPutBack = false;
  /** Who holds the run lock. */
  holder: object | undefined;
  /** What was ever confirmed, as text. */
  readonly confirmed = new Map<string, string>();
  readonly journal = new JournalChecks(this);
  violation: Violation | undefined;
  #fail: (violation: Violation) => void = () => undefined;
  /** Rejects with the first violation. */
  readonly failed: Promise<never>;

  constructor({ profile, workload, decisions, draw }: Scenario, plan: Plan) {
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
  violate(invariant: string, message: string): void {
    this.violation ??= new Violation(invariant, message);
    this.#fail(this.violation);
  }

  check(condition: boolean, invariant: string, message: () => string): void {
    if (!condition) this.violate(invariant, message());
  }

  /** S2: nothing happened oftener than the plan has steps for it, but for what the network delivered twice. @param from the first effect that is new */
  checkEffects(from: number): void {
    const { truth } = this.platform;
    const groups = groupsOf(this.plan);
    for (const { group } of truth.effects.slice(from)) {
      const steps = groups.members.get(group)?.length ?? 0;
      this.check(
        truth.of(group).length <= steps + this.repeats,
        'S2',
        () => `${group} happened ${truth.of(group).length} times for ${steps} steps`,
      );
    }
  }

  /** True while answers bear the signs of their requests. */
  get signs(): boolean {
    return isOwn(this.profile) && !this.isUnsigned;
  }

  get isDown(): boolean {
    return this.time.nowMs < this.downUntilMs;
  }

  /** Lets something happen on the platform after a while; while it is down, later. */
  onPlatform(ms: number, run: () => void): void {
    this.time.after(ms, () => {
      if (this.isDown) this.onPlatform(this.downUntilMs - this.time.nowMs + 20, run);
      else run();
    });
  }

  /** Sends a callback; again after each wait until it is answered 200. */
  send(token: string, body: Json | Uint8Array, waitsMs: readonly number[]): void {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    void (async () => {
      const status = await this.listener?.deliver(token, bytes);
      const [wait, ...rest] = waitsMs;
      if (status === 200 || wait === undefined) return;
      this.onPlatform(wait, () => this.send(token, body, rest));
    })();
  }
}
