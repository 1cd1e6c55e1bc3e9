import { digestOf } from '../../src/model/canonical.js';
import type { ResourceId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { ChangeSet } from '../../src/model/change.js';
import type { Plan } from '../../src/model/plan.js';
import { apply, preview } from '../../src/engine.js';
import { localPace, type Pace } from '../../src/execute/pace.js';
import type { Journal, Ports } from '../../src/execute/ports.js';
import type { Observer, RunResult } from '../../src/execute/result.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { JournalEvent } from '../../src/state/event.js';
import { lockRecord } from '../../src/state/lock-record.js';
import { LineageState } from '../../src/state/project.js';
import { abilities as able } from './builders.js';
import type { Crash } from './crash.js';
import { MemoryInbox } from './memory-inbox.js';
import { MemoryService } from './memory-service.js';
import { VirtualClock } from './virtual-clock.js';

/** A journal in memory; fails from the n-th append on when told. */
export class MemoryJournal implements Journal {
  readonly events: JournalEvent[] = [];
  appends = 0;
  failsFrom = Number.POSITIVE_INFINITY;

  async append(events: readonly JournalEvent[]): Promise<void> {
    await Promise.resolve();
    this.appends += 1;
    if (this.appends >= this.failsFrom) throw new Error('no space left on device');
    this.events.push(...(structuredClone(events) as JournalEvent[]));
  }
}

const DIED = new Error('the process died');

/** One lineage, its service and its time: everything that outlives a process. */
export class Release {
  readonly clock = new VirtualClock();
  readonly journal = new MemoryJournal();
  readonly service: MemoryService;
  readonly abilities: Abilities;
  readonly pace: Pace;
  readonly observed: Parameters<Observer>[0][] = [];

  constructor(abilities: Abilities = able(), pace: Pace = localPace(5_000)) {
    this.abilities = abilities;
    this.pace = pace;
    this.service = new MemoryService(this.clock, abilities);
  }

  state(): LineageState {
    return new LineageState(this.journal.events);
  }

  preview(plan: Plan, over: Partial<Parameters<typeof preview>[0]> = {}): Promise<ChangeSet> {
    const state = over.state ?? this.state();
    return preview({ plan, state, abilities: this.abilities, service: this.service, ...over });
  }

  /** Plans and applies in a process that dies at a point; undefined when it did. */
  async applyUntil(crash: Crash, plan: Plan): Promise<RunResult | undefined> {
    const work = this.apply(plan, { wrap: (ports) => crash.wrap(ports), until: crash.died });
    return work.catch((error: unknown) => {
      if (error === DIED) return undefined;
      throw error;
    });
  }

  /** Plans and applies, as a new process would. */
  async apply(
    plan: Plan,
    how: {
      readonly wrap?: (ports: Ports) => Ports;
      readonly until?: Promise<void>;
      readonly signal?: AbortSignal;
      readonly replaces?: readonly string[];
      readonly failFast?: boolean;
      readonly observe?: Observer;
      readonly pace?: Pace;
    } = {},
  ): Promise<RunResult> {
    const state = this.state();
    this.service.inbox = new MemoryInbox();
    const bare: Ports = {
      service: this.service,
      journal: this.journal,
      inbox: this.service.inbox,
      clock: this.clock,
    };
    const ports = how.wrap?.(bare) ?? bare;
    const selection = { targets: [], excludes: [], replaces: how.replaces ?? [] };
    const changeSet = await this.clock.run(this.preview(plan, { state, selection }));
    const work = apply({
      plan,
      changeSet,
      state,
      abilities: this.abilities,
      ports,
      pace: how.pace ?? this.pace,
      target: { origin: 'local', client: digestOf('client') },
      ids: { run: `run-${this.journal.events.length}`, lineage: 'lineage-1' },
      engineVersion: '0.1.0',
      failFast: how.failFast ?? false,
      observe: (event) => {
        this.observed.push(event);
        how.observe?.(event);
      },
      ...(how.signal !== undefined && { signal: how.signal }),
    });
    const death = how.until?.then(() => Promise.reject(DIED));
    return this.clock.run(death === undefined ? work : Promise.race([work, death]));
  }

  /** The lock without what differs between two ways to the same end. */
  lock(): Readonly<Record<string, Json>> {
    const entries = [...(this.state().lock?.entries.values() ?? [])];
    const settled = entries.map((entry) => {
      const { inputs, outputs } = lockRecord(entry);
      return [entry.id, { inputs, outputs }] as const;
    });
    return Object.fromEntries(settled.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Writes that took effect more than once. */
  doubles(): readonly string[] {
    return [...this.service.effects].filter(([, count]) => count > 1).map(([key]) => key);
  }

  ends(result: RunResult): Readonly<Record<ResourceId, string>> {
    return Object.fromEntries(result.steps.map(({ id, end }) => [id, end]));
  }
}
