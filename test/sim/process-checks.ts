import { digestOf, digestOfBytes } from '../../src/model/canonical.js';
import type { ChangeSet } from '../../src/model/change.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { isJsonObject, type Json } from '../../src/model/json.js';
import { textList } from '../../src/kinds/listing.js';
import { publicView } from '../../src/model/value.js';
import type { RunState } from '../../src/disk/run-state.js';
import type { Journal } from '../../src/execute/ports.js';
import type { Observer } from '../../src/execute/result.js';
import type { WriteRequest } from '../../src/kinds/operation.js';
import { isOpen, type Attempt } from '../../src/state/attempt.js';
import type { JournalEvent } from '../../src/state/event.js';
import type { LineageState } from '../../src/state/project.js';
import { PATHS } from './place.js';
import { checkProven } from './proven.js';
import { believable } from './proven.js';
import { NAMED_ADDRESSES } from './workloads.js';
import type { World } from './world.js';

/** Invariants that are about what one process does, checked while it does it. */
export class ProcessChecks {
  readonly #world: World;
  readonly #acknowledged = new Map<StepId, Set<string>>();
  #state: LineageState | undefined;
  #changeSet: ChangeSet | undefined;
  /** Attempts of earlier processes. */
  #inherited: ReadonlySet<StepId> = new Set();
  /** Attempts of this process whose first byte left. */
  readonly #sent = new Set<StepId>();
  #stoppedMs = Infinity;

  constructor(world: World) {
    this.#world = world;
  }

  /** S12, S10: the process holds the run lock and has opened the journal. */
  locked(state: RunState): void {
    const world = this.#world;
    world.check(world.holder === undefined, 'S12', () => 'two processes hold the run lock');
    world.holder = this;
    this.#state = state.state;
    this.#inherited = new Set(state.state.attempts.keys());
    world.journal.opened(world.disk.bytes(PATHS.journal) ?? Buffer.alloc(0));
  }

  unlocked(): void {
    if (this.#world.holder === this) this.#world.holder = undefined;
  }

  planned(changeSet: ChangeSet): void {
    this.#changeSet = changeSet;
  }

  /** The journal, noting what it promised to keep. */
  watch(journal: Journal, isAlive: () => boolean): Journal {
    return {
      append: async (events) => {
        await journal.append(events);
        if (isAlive()) this.#world.journal.kept(events, this.#world.disk.durableBytes(PATHS.journal));
      },
    };
  }

  /** The process was asked to stop. */
  stopped(): void {
    this.#stoppedMs = Math.min(this.#stoppedMs, this.#world.time.nowMs);
  }

  /** S22: a write is handed to the network. */
  handed(step: StepId | undefined): void {
    const isLate = this.#world.time.nowMs > this.#stoppedMs;
    this.#world.check(!isLate, 'S22', () => `${step} is sent after the run was stopped`);
  }

  /** S1, S13, S14, S15, S21: the first byte of a write leaves. */
  firstByte(request: WriteRequest, url: string | undefined, step: StepId | undefined): void {
    const world = this.#world;
    if (step !== undefined) this.#sent.add(step);
    const state = this.#state;
    const journal = world.disk.durableBytes(PATHS.journal) ?? Buffer.alloc(0);
    const digest = digestOf(publicView(request as unknown as Json));
    world.check(
      world.holder === this,
      'S12',
      () => `a process without the run lock sends ${request.endpoint}`,
    );
    world.check(
      journal.lastIndexOf(`"request":"${digest}"`) >= 0,
      'S1',
      () => `${request.endpoint} is sent before its intent is durable`,
    );
    const token = url?.split('/').at(-1);
    if (token !== undefined) {
      const known = (world.disk.durableBytes(PATHS.tokens)?.lastIndexOf(token) ?? -1) >= 0;
      const intended = journal.lastIndexOf(`"token":"${digestOfBytes(token)}"`) >= 0;
      world.check(
        known && intended,
        'S1',
        () => `${request.endpoint} gives a token away that is not durable`,
      );
    }
    if (state === undefined) return world.violate('S12', 'a write without a state');
    const attempt = [...state.attempts.values()].findLast((item) => item.request === digest);
    const planned = this.#changeSet?.steps.some(({ resources }) =>
      attempt?.resources.some((id) => resources.includes(id)),
    );
    world.check(planned === true, 'S13', () => `${request.endpoint} is not in the change set`);
    if (attempt === undefined) return;
    this.#checkSubstituted(request, attempt.resources, state);
    this.#checkAddresses(request, attempt);
    this.#checkLane(attempt.lane, state);
  }

  /** S15 */
  #checkSubstituted({ endpoint }: WriteRequest, made: readonly ResourceId[], state: LineageState): void {
    const world = this.#world;
    const resources = new Map(world.plan.resources.map((item) => [item.id, item]));
    for (const id of made.flatMap((own) => resources.get(own)?.dependsOn ?? [])) {
      const inputs = resources.get(id)?.inputs;
      if (made.includes(id) || inputs === undefined || resources.get(id)?.kind === 'deployment') continue;
      world.check(
        state.lock?.entries.has(id) === true,
        'S15',
        () => `${endpoint} is sent before ${id} is confirmed`,
      );
    }
  }

  /** S15 */
  #checkAddresses({ body, endpoint }: WriteRequest, { before }: Attempt): void {
    const world = this.#world;
    if (world.forged) return;
    // What is signed here names contracts of the same request by the addresses that they will have.
    const predicted = isJsonObject(before) ? textList(before['predicted']) : [];
    const known = new Set([
      ...world.platform.truth.effects.flatMap(({ address }) => address?.toLowerCase() ?? []),
      ...believable(world).flatMap(({ address }) => address?.toLowerCase() ?? []),
      ...[...predicted].map((address) => address.toLowerCase()),
    ]);
    for (const address of JSON.stringify(body)
      .toLowerCase()
      .match(/0x[0-9a-f]{40}\b/g) ?? [])
      world.check(
        known.has(address) || NAMED_ADDRESSES.has(address),
        'S15',
        () => `${endpoint} uses ${address}, which nothing has`,
      );
  }

  /** S21 */
  #checkLane(lane: string, state: LineageState): void {
    const { maxInFlight: limit, sendOrder } = this.#world.plan.environment;
    const inLane = [...state.attempts.values()].filter(
      (item) => item.lane === lane && isOpen(item) && item.duplicates.length === 0 && !isGivenUp(item, limit),
    );
    const inFlight = inLane.filter(({ step }) => this.#sent.has(step) || this.#inherited.has(step));
    this.#world.check(
      inFlight.length <= limit,
      'S21',
      () => `${inFlight.length} writes in flight in ${lane}`,
    );
    const begun = sendOrder === 'any' && limit > 1 ? 2 * limit : limit;
    this.#world.check(inLane.length <= begun, 'S21', () => `${inLane.length} unsettled steps in ${lane}`);
    if (sendOrder === 'any') return;
    const own = inLane.filter((item) => item.answered === undefined && !this.#inherited.has(item.step));
    this.#world.check(own.length <= 1, 'S21', () => `${own.length} requests under way in ${lane}`);
  }

  /** S4, S5, S6: something was settled. S10: what is told is durable. */
  observed(event: Parameters<Observer>[0]): void {
    const state = this.#state;
    if (state === undefined) return;
    if (event.type === 'step-ended') this.#checkEnded(event.report);
    if (!('at' in event)) return;
    const journaled: JournalEvent = event;
    this.#checkKept(JSON.stringify(journaled), `${journaled.type} is told before it is durable`);
    if (journaled.type === 'step-settled' || journaled.type === 'resource-adopted')
      checkProven(this.#world, state);
  }

  #checkEnded({ end, step }: Extract<Parameters<Observer>[0], { type: 'step-ended' }>['report']): void {
    if (step === undefined || end === 'skipped' || end === 'open') return;
    const settled = `"type":"step-settled","step":"${step}","state":"${end}"`;
    this.#checkKept(settled, `the end of ${step} is told before it is durable`);
  }

  #checkKept(text: string, message: string): void {
    const durable = this.#world.disk.durableBytes(PATHS.journal);
    this.#world.check((durable?.lastIndexOf(text) ?? -1) >= 0, 'S10', () => message);
  }

  /** S9: a token that was never given away. */
  strange(token: string, status: number): number {
    this.#world.check(
      !this.#world.leaked.includes(token),
      'S9',
      () => 'a token of an attempt is not known any more',
    );
    return status;
  }

  /** S8: 200 was said. */
  acknowledged(step: StepId, bytes: Uint8Array): void {
    const bodies = this.#acknowledged.get(step) ?? new Set();
    this.#acknowledged.set(step, bodies.add(digestOfBytes(bytes)));
    const journal = this.#world.disk.durableBytes(PATHS.journal)?.toString('latin1') ?? '';
    const kept = journal.split(`"type":"step-evidenced","step":"${step}"`).length - 1;
    this.#world.check(
      kept >= Math.min(bodies.size, 16),
      'S8',
      () => `a callback for ${step} is acknowledged and not kept`,
    );
  }
}

/** An undecided attempt keeps its place only from the rest of a lane with one write at a time. */
function isGivenUp({ settled }: Attempt, limit: number): boolean {
  return limit > 1 && settled?.state === 'undecided';
}
