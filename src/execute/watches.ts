import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import type { Attempt } from '../state/attempt.js';
import { invariant } from '../model/error.js';
import { isJsonObject } from '../model/json.js';
import { claimSight, unproven } from './claim-sight.js';
import { settle } from './errands.js';
import { isBlind, look, settledReads } from './look.js';
import type { Mailbox } from './mailbox.js';
import { unbounded } from './pace.js';
import type { RunInput } from './run-input.js';
import type { Message, Waiting } from './run-message.js';
import type { Timers } from './timers.js';
import { Watch, type WatchCommand } from './watch.js';

/** The attempts whose outcome a run waits for. What their watches ask for is done beside the loop, unless it takes no time. */
export class Watches {
  readonly #input: RunInput;
  readonly #timers: Timers;
  readonly #mailbox: Mailbox<Message>;
  readonly #beside: (work: () => Promise<Message>) => void;
  readonly #watches = new Map<StepId, Watch>();
  /** Those that wait for the same moment. */
  readonly #waiting = new Map<Promise<void>, Waiting[]>();
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
    const { knowledge, recorder } = this.#input;
    const { callbacks } = knowledge.abilities;
    const pace = recorder.state.isBounded(attempt.step) ? this.#input.pace : unbounded(this.#input.pace);
    const blind = isBlind(attempt, { recorder, abilities: knowledge.abilities });
    const watch = new Watch(planned, attempt, { pace, nowMs: this.#nowMs(), callbacks, blind });
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
    if (message.type === 'due') {
      for (const { watch, turn } of message.waiting) this.#follow(watch, watch.due(turn, this.#nowMs()));
      return;
    }
    const { watch, sight, late } = message;
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
    switch (command.type) {
      case 'nothing':
        return;
      case 'look':
        return this.#look(watch, command.late);
      case 'wait':
        if (command.told !== undefined) this.#input.recorder.tell(command.told);
        return this.#wait({ watch, turn: command.turn }, command.ms);
      case 'settle':
        this.#watches.delete(watch.step);
        this.#mailbox.post(settle(watch, command, this.#input.recorder));
    }
  }

  #look(watch: Watch, late: boolean): void {
    const { ports, recorder, knowledge } = this.#input;
    const attempt = recorder.state.attempts.get(watch.step);
    invariant(attempt !== undefined, 'a watched attempt is in the journal');
    const service = late ? settledReads(ports.service) : ports.service;
    const looking = { recorder, abilities: knowledge.abilities, service };
    const sight = resultOf(() => look(attempt, late, looking));
    if (!(sight instanceof Promise)) return this.#mailbox.post({ type: 'seen', watch, sight, late });
    this.#beside(async () => ({ type: 'seen', watch, sight: await sight, late }));
  }

  #wait(waiting: Waiting, ms: number): void {
    const over = this.#timers.sleep(ms);
    const others = this.#waiting.get(over);
    if (others !== undefined) {
      others.push(waiting);
      return;
    }
    const all = [waiting];
    this.#waiting.set(over, all);
    this.#beside(async () => {
      await over;
      this.#waiting.delete(over);
      return { type: 'due', waiting: all };
    });
  }

  #nowMs(): number {
    return this.#input.ports.clock.nowMs();
  }
}

/** What work gives at once or later; what it throws at once is thrown later, too, beside the loop. */
function resultOf<Done>(work: () => Done | Promise<Done>): Done | Promise<Done> {
  try {
    return work();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}
