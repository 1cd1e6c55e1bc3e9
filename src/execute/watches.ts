import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import type { Attempt } from '../state/attempt.js';
import { isJsonObject } from '../model/json.js';
import { claimSight, unproven } from './claim-sight.js';
import { perform, settle } from './errands.js';
import type { Mailbox } from './mailbox.js';
import type { RunInput } from './run-input.js';
import type { Message } from './run-message.js';
import type { Timers } from './timers.js';
import { Watch, type WatchCommand } from './watch.js';

/** The attempts whose outcome a run waits for. What their watches ask for is done beside the loop. */
export class Watches {
  readonly #input: RunInput;
  readonly #timers: Timers;
  readonly #mailbox: Mailbox<Message>;
  readonly #beside: (work: () => Promise<Message>) => void;
  readonly #watches = new Map<StepId, Watch>();
  /** Open attempts of earlier runs: no answer to them will come. */
  readonly #inherited: ReadonlySet<StepId>;

  constructor(
    input: RunInput,
    timers: Timers,
    mailbox: Mailbox<Message>,
    beside: (work: () => Promise<Message>) => void,
  ) {
    this.#input = input;
    this.#timers = timers;
    this.#mailbox = mailbox;
    this.#beside = beside;
    this.#inherited = new Set(input.recorder.state.openAttempts.map(({ step }) => step));
  }

  /** @param fresh true: answered just now, so that there is nothing to see yet */
  begin(planned: PlannedStep, attempt: Attempt, fresh: boolean): void {
    const { pace, knowledge } = this.#input;
    const { callbacks } = knowledge.abilities;
    const watch = new Watch(planned, attempt, { pace, nowMs: this.#nowMs(), callbacks });
    this.#watches.set(attempt.step, watch);
    // A callback may have come before the answer.
    this.#follow(watch, watch.start(fresh && attempt.evidence.length === 0));
  }

  /** A callback came. */
  heard(step: StepId): void {
    const watch = this.#watches.get(step);
    if (watch !== undefined) this.#follow(watch, watch.look(this.#nowMs()));
  }

  /** A wait or a look is over. */
  advance(message: Extract<Message, { type: 'due' | 'seen' }>): void {
    const { watch } = message;
    if (message.type === 'due') return this.#follow(watch, watch.due(message.turn, this.#nowMs()));
    const { sight, late } = message;
    const { claims } = this.#input.recorder;
    const honest = this.#mayBeAnothers(watch.step) ? unproven(sight) : claimSight(watch.step, sight, claims);
    this.#follow(watch, watch.seen(honest, late, this.#nowMs()));
  }

  /** True while an answer is awaited that may name what the attempt, which has no mark of its own, would be proven by. */
  #mayBeAnothers(step: StepId): boolean {
    const { state, unsent } = this.#input.recorder;
    const attempt = state.attempts.get(step);
    if (attempt === undefined || attempt.answered?.outcome === 'accepted') return false;
    if (!isJsonObject(attempt.before) || attempt.before['before'] === undefined) return false;
    return state.openAttempts.some(
      (other) =>
        other.lane === attempt.lane &&
        other.step !== step &&
        other.answered === undefined &&
        !unsent.has(other.step) &&
        !this.#inherited.has(other.step),
    );
  }

  #follow(watch: Watch, command: WatchCommand): void {
    if (command.type === 'nothing') return;
    if (command.type !== 'settle')
      return this.#beside(() => perform(watch, command, this.#input, this.#timers));
    this.#watches.delete(watch.step);
    this.#mailbox.post(settle(watch, command, this.#input.recorder));
  }

  #nowMs(): number {
    return this.#input.ports.clock.nowMs();
  }
}
