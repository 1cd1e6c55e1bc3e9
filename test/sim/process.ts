import { peopleOf } from '../../src/kinds/wallet.js';
import { apply, lookForRepeats, preview } from '../../src/engine.js';
import { openAttemptTokens } from '../../src/disk/attempt-tokens.js';
import { openRun, type RunState } from '../../src/disk/run-state.js';
import type { Machine } from '../../src/disk/machine.js';
import { Recorder } from '../../src/execute/recorder.js';
import type { RunResult } from '../../src/execute/result.js';
import type { Clock, Inbox } from '../../src/execute/ports.js';
import type { Abilities } from '../../src/kinds/kind.js';
import { isEmpty, type ChangeSet } from '../../src/model/change.js';
import { WindlassError } from '../../src/model/error.js';
import { openHandover } from '../../src/remote/handover.js';
import { parseStrictJson } from '../../src/remote/strict-json.js';
import type { Target } from '../../src/state/event.js';
import { chanceOf } from './chance.js';
import type { Caller, Death } from './disk.js';
import { serviceFor } from './network.js';
import { PATHS, PLACE, TARGET } from './place.js';
import { ProcessChecks } from './process-checks.js';
import type { World } from './world.js';

/** How a process ended. */
export type Outcome =
  | { readonly type: 'idle' }
  | { readonly type: 'ran'; readonly result: RunResult }
  | { readonly type: 'refused'; readonly code: string }
  | { readonly type: 'died' };

/** What the environment of a world can show and prove. */
export function abilitiesOf({ profile }: World): Abilities {
  return {
    capabilities: new Set(profile.capabilities),
    callbacks: profile.callbacks,
    chain: profile.chain === true,
  };
}

/** One run of `apply`, composed as the command line does, over simulated doors. */
export class SimProcess implements Caller {
  readonly pid: number;
  readonly checks: ProcessChecks;
  readonly #world: World;
  readonly #target: Target;
  readonly #stop = new AbortController();
  #alive = true;
  #thaw: Promise<void> | undefined;
  #died: () => void = () => undefined;
  readonly #death: Promise<Outcome>;

  constructor(world: World, target: Target = TARGET) {
    world.processes += 1;
    this.pid = world.processes;
    this.#world = world;
    this.#target = target;
    this.checks = new ProcessChecks(world);
    this.#death = new Promise((resolve) => {
      this.#died = () => resolve({ type: 'died' });
    });
    LIVING.set(world, (LIVING.get(world) ?? new Set()).add(this));
  }

  get alive(): boolean {
    return this.#alive;
  }

  ready(): Promise<void> | undefined {
    return this.#alive ? this.#thaw : new Promise(() => undefined);
  }

  /** Ends at once. A power loss takes every process with it. */
  die(how: Death): void {
    if (!this.#alive) return;
    this.#world.crashes += 1;
    const dying = how === 'power' ? [...(LIVING.get(this.#world) ?? [])] : [this];
    for (const process of dying) process.#end();
    if (how === 'power') this.#world.disk.losePower();
  }

  /** Stands still for a while, like a process that was stopped by its terminal. */
  freeze(ms: number): void {
    this.#thaw ??= this.#standStill(ms);
  }

  async #standStill(ms: number): Promise<void> {
    await this.#world.time.pass(ms);
    this.#thaw = undefined;
  }

  /** Asks it to stop, as Ctrl-C does. */
  stop(): void {
    this.checks.stopped();
    this.#stop.abort();
  }

  /** Runs until it ends, one way or the other. */
  async run(): Promise<Outcome> {
    const work = this.#work().catch((thrown: unknown): Outcome => {
      if (thrown instanceof WindlassError && thrown.code !== 'INTERNAL')
        return { type: 'refused', code: thrown.code };
      this.#world.violate('L4', `a run threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
      return { type: 'refused', code: 'INTERNAL' };
    });
    const outcome = await Promise.race([work, this.#death]);
    this.#end();
    return outcome;
  }

  #end(): void {
    this.#alive = false;
    this.checks.unlocked();
    LIVING.get(this.#world)?.delete(this);
    if (this.#world.listener?.owner === this) this.#world.listener = undefined;
    this.#died();
  }

  async #work(): Promise<Outcome> {
    const world = this.#world;
    const run = `run-${this.pid}`;
    const session = {
      run,
      target: this.#target,
      nowMs: world.time.clockMs,
      lineage: 'lineage',
      machine: this.#machine(),
    };
    const disk = world.disk.for(this);
    const state = await openRun(PLACE, session, disk);
    this.checks.locked(state);
    try {
      return await this.#apply(state, run);
    } finally {
      await state.close();
      this.checks.unlocked();
    }
  }

  async #apply(state: RunState, run: string): Promise<Outcome> {
    const world = this.#world;
    const { plan } = world;
    const inbox = await this.#openInbox(state);
    const service = serviceFor(world, this);
    const abilities = abilitiesOf(world);
    const changeSet = await preview({ plan, state: state.state, abilities, service });
    this.checks.planned(changeSet);
    refuse(changeSet, state);
    const writeLockfile = async (): Promise<void> => {
      if (state.lock !== undefined) await state.writeLockfile(state.lock);
    };
    if (isEmpty(changeSet) && changeSet.steps.length === 0) {
      const clock = this.#clock();
      const recorder = new Recorder({
        state: state.state,
        journal: state.journal,
        clock,
        observe: () => undefined,
        people: peopleOf(plan),
      });
      await lookForRepeats({ state: state.state, recorder, abilities, service }, true);
      await writeLockfile();
      return { type: 'idle' };
    }
    const { journal } = state;
    try {
      const result = await apply({
        plan,
        changeSet,
        state: state.state,
        abilities,
        ports: {
          service,
          inbox,
          clock: this.#clock(),
          journal: this.checks.watch(journal, () => this.#alive),
        },
        pace: world.isUnsigned ? { ...world.profile.pace, unsigned: true } : world.profile.pace,
        target: this.#target,
        ids: { run, lineage: 'lineage' },
        engineVersion: '0.0.0',
        signal: this.#stop.signal,
        observe: (event) => this.checks.observed(event),
      });
      return { type: 'ran', result };
    } finally {
      await writeLockfile();
    }
  }

  /** The inbox as `remote/inbox.ts` joins it, with the platform's hand in place of its socket. */
  async #openInbox(state: RunState): Promise<Inbox> {
    const world = this.#world;
    const tokens = await openAttemptTokens(PATHS.tokens, {
      steps: (digest) => state.state.stepOfToken(digest),
      random: (sizeBytes) => bytesOf(world, sizeBytes),
      disk: world.disk.for(this),
    });
    const handover = openHandover(this.#clock(), 3_000);
    world.listener = {
      owner: this,
      deliver: (token, bytes) => Promise.race([deliver(token, bytes), this.#death.then(() => undefined)]),
    };
    const deliver = async (token: string, bytes: Uint8Array): Promise<number> => {
      for (let wait = this.ready(); wait; wait = this.ready()) await wait;
      const owner = tokens.lookup(token)?.step;
      if (owner === undefined) return this.checks.strange(token, 404);
      const body = parseStrictJson(bytes);
      if (body === undefined) return 400;
      const status = (await handover.deliver({ owner, bytes: Buffer.from(bytes), body })) ? 200 : 503;
      if (status === 200) this.checks.acknowledged(owner, bytes);
      return status;
    };
    return {
      open: async (step) => {
        const { token, digest } = await tokens.issue(step);
        return {
          url: world.profile.callbacks ? `https://hooks.example.com/cb/${token}` : undefined,
          token: digest,
        };
      },
      receive: (handler) => handover.receive(handler),
    };
  }

  #clock(): Clock {
    return this.#world.time.clockOf(() => this.#alive);
  }

  #machine(): Machine {
    const living = LIVING.get(this.#world) ?? new Set();
    const startOf = (pid: number): string | undefined =>
      [...living].some((process) => process.pid === pid) ? `start-${pid}` : undefined;
    return { host: 'host', boot: 'boot', pid: this.pid, startOf };
  }
}

/** Bytes that no other call gets, and that a replay gets again. */
function bytesOf(world: World, sizeBytes: number): Buffer {
  world.tokens += 1;
  const chance = chanceOf(world.tokens);
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at + 4 <= sizeBytes; at += 4) bytes.writeUInt32LE(Math.floor(chance() * 2 ** 32), at);
  return bytes;
}

const LIVING = new WeakMap<World, Set<SimProcess>>();

/** As `apply` refuses before it executes. */
function refuse(changeSet: ChangeSet, state: RunState): void {
  const made = changeSet.changes.filter(({ action }) => action === 'create' || action === 'deploy');
  if (made.some(({ id }) => state.strangers.includes(id)))
    throw new WindlassError('CHANGE_BLOCKED', 'a stranger');
}
