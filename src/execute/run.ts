import { invariant } from '../model/error.js';
import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import type { Attempt } from '../state/attempt.js';
import { claimSight } from './claim-sight.js';
import { continuedAttempts, type Continued } from './continued.js';
import { recordCallback } from './hear.js';
import { close, confirm, pause, perform } from './errands.js';
import { Mailbox } from './mailbox.js';
import { nextLookMs } from './pace.js';
import type { WriteAnswer } from './ports.js';
import { Reports } from './reports.js';
import type { RunResult } from './result.js';
import type { RunInput } from './run-input.js';
import type { Message, SettledMessage } from './run-message.js';
import { Schedule } from './schedule.js';
import { sendStep, type Sent } from './send.js';
import { Sendings } from './sendings.js';
import { Timers } from './timers.js';
import { Watch, type WatchCommand } from './watch.js';

/**
 * The loop. Everything that takes time runs beside it and leaves a message; the loop's only await is for the next
 * message, so that what it decides depends on nothing but their order.
 *
 * ```
 * planned ─ send ─► answered ─┬─ not_sent, 429 ──► sent again, as a new attempt
 *                             ├─ rejected ───────► failed
 *                             └─ accepted, ambiguous ─► watched ─┬─ proof ──────────► confirmed | failed
 *   open attempt of an earlier run ─────────────────► ▲          └─ horizon passed ─► undecided (where the service bounds
 *                                       callback, timer                 its delay and shows nothing: sent again)
 * ```
 */
export class Run {
  readonly #input: RunInput;
  readonly #nowMs: () => number;
  readonly #mailbox = new Mailbox<Message>();
  readonly #schedule: Schedule;
  readonly #watches = new Map<StepId, Watch>();
  readonly #sendings: Sendings;
  readonly #reports: Reports;
  /** Waits between looks, which end with the run, and before a step is sent again, which end when it is stopped. */
  readonly #timers: Timers;
  readonly #pauses: Timers;
  /** Steps under way, and those of them that are being sent. */
  #under = 0;
  #sending = 0;
  #stopped = false;
  #broken: { readonly thrown: unknown } | undefined;

  constructor(input: RunInput) {
    this.#input = input;
    this.#nowMs = () => input.ports.clock.nowMs();
    this.#schedule = new Schedule(input.changeSet.steps, input.maxInFlight, input);
    this.#reports = new Reports((event) => input.recorder.tell(event), input.failFast);
    this.#sendings = new Sendings(input.pace.maxSendings);
    this.#timers = new Timers(input.ports.clock);
    this.#pauses = new Timers(input.ports.clock);
  }

  /**
   * Runs until every step ended or was left out.
   *
   * @throws whatever a port threw; nothing is sent after it, and what was being sent is answered and recorded first
   */
  async finish(): Promise<RunResult> {
    const { signal, ports, changeSet, recorder } = this.#input;
    recorder.tell({ type: 'run-planned', steps: changeSet.steps.length });
    recorder.whenBroken((thrown) => this.#mailbox.post({ type: 'broke', thrown, sending: false }));
    const stop = (): void => this.#mailbox.post({ type: 'stopped' });
    signal.addEventListener('abort', stop, { once: true });
    this.#stopped = signal.aborted;
    for (const continued of continuedAttempts(changeSet.steps, recorder.state)) this.#resume(continued);
    ports.inbox.receive(async (step, body) => {
      const kept = recordCallback(recorder, step, body);
      this.#mailbox.post({ type: 'heard', step });
      await kept;
    });
    this.#begin();
    try {
      while (this.#broken === undefined ? this.#under > 0 : this.#sending > 0) {
        this.#handle(await this.#mailbox.next());
        this.#begin();
      }
    } finally {
      this.#timers.end();
      this.#pauses.end();
      signal.removeEventListener('abort', stop);
      await recorder.rest();
    }
    if (this.#broken !== undefined) throw this.#broken.thrown;
    return this.#reports.summary(changeSet.steps, this.#stopped);
  }

  #handle(message: Message): void {
    switch (message.type) {
      case 'sent':
        this.#sending -= 1;
        return this.#onSent(message.planned, message.sent);
      case 'again':
        return this.#isHalted() ? this.#leave(message.planned) : this.#send(message.planned);
      case 'seen':
        return this.#onSeen(message);
      case 'due':
        return this.#follow(message.watch, message.watch.due(message.turn, this.#nowMs()));
      case 'heard':
        return this.#onHeard(this.#watches.get(message.step));
      case 'settled':
        return this.#onSettled(message);
      case 'stopped':
        this.#stopped = true;
        return this.#pauses.end();
      case 'broke':
        if (message.sending) this.#sending -= 1;
        this.#broken ??= { thrown: message.thrown };
        return;
    }
  }

  /** Continues an attempt of an earlier run: it is looked for, and sent anew only when it provably had no effect. */
  #resume({ planned, attempt, effectless }: Continued): void {
    this.#under += 1;
    this.#schedule.resume(planned, attempt.answered?.outcome !== 'accepted');
    if (!effectless) return this.#watch(planned, attempt, false);
    this.#end(planned, attempt.step, attempt.answered?.message ?? 'the request had no effect', true);
  }

  #begin(): void {
    if (this.#isHalted()) return;
    for (const planned of this.#schedule.take()) {
      this.#under += 1;
      this.#input.recorder.tell({ type: 'step-begun', id: planned.id, resources: planned.resources });
      this.#send(planned);
    }
  }

  #send(planned: PlannedStep): void {
    this.#sendings.begin(planned);
    this.#sending += 1;
    const sender = { ...this.#input, isHalted: () => this.#isHalted() };
    this.#beside(async () => ({ type: 'sent', planned, sent: await sendStep(planned, sender) }), true);
  }

  #isHalted(): boolean {
    return this.#stopped || this.#broken !== undefined || this.#reports.isEnded;
  }

  /** A step that had begun but sends nothing more, because the run was stopped or ends at its first failure. */
  #leave(planned: PlannedStep): void {
    this.#under -= 1;
    this.#schedule.answered(planned);
  }

  #onSent(planned: PlannedStep, sent: Sent): void {
    switch (sent.type) {
      case 'withheld':
        return this.#leave(planned);
      case 'refused':
        return this.#end(planned, undefined, sent.message);
      case 'open':
        this.#schedule.answered(planned);
        return this.#watch(planned, sent.attempt, false);
      case 'effective':
        this.#schedule.answered(planned);
        return this.#mailbox.post(confirm(planned, sent, this.#input.recorder));
      case 'answered':
        return this.#onAnswered(planned, sent.step, sent.answer);
    }
  }

  #onAnswered(planned: PlannedStep, step: StepId, answer: WriteAnswer): void {
    if (answer.outcome === 'accepted' || answer.outcome === 'ambiguous') {
      this.#schedule.answered(planned, answer.outcome === 'ambiguous');
      const attempt = this.#input.recorder.state.attempts.get(step);
      invariant(attempt !== undefined, 'an answered attempt is in the journal');
      return this.#watch(planned, attempt, answer.outcome === 'accepted');
    }
    if (!this.#isHalted() && this.#sendings.mayRepeat(planned, answer))
      return this.#sendAgain(planned, step, answer.message ?? answer.outcome, answer.retryAfterMs);
    if (answer.outcome === 'not_sent') this.#sendings.giveUp(planned);
    return this.#end(planned, step, answer.message ?? answer.outcome);
  }

  /** The attempt provably had no effect, so its step is sent anew; the journal says so first. */
  #sendAgain(planned: PlannedStep, step: StepId, message: string, retryAfterMs: number | undefined): void {
    const ms = retryAfterMs ?? nextLookMs(this.#input.pace, this.#sendings.of(planned), false);
    this.#input.recorder.tell({ type: 'step-waiting', step, reason: message });
    this.#beside(() => pause({ planned, step, message, ms }, this.#input.recorder, this.#pauses));
  }

  /** Ends an attempt that provably had no effect; `again`: its step may be sent anew at once. */
  #end(planned: PlannedStep, step: StepId | undefined, message: string, again = false): void {
    this.#schedule.answered(planned);
    this.#mailbox.post(close({ planned, step, message, again }, this.#input.recorder));
  }

  #watch(planned: PlannedStep, attempt: Attempt, fresh: boolean): void {
    const { pace, knowledge } = this.#input;
    const watch = new Watch(planned, attempt, {
      pace,
      nowMs: this.#nowMs(),
      callbacks: knowledge.abilities.callbacks,
    });
    this.#watches.set(attempt.step, watch);
    // A callback may have come before the answer.
    this.#follow(watch, watch.start(fresh && attempt.evidence.length === 0));
  }

  #onSeen({ watch, sight, late }: Extract<Message, { type: 'seen' }>): void {
    const honest = claimSight(watch.step, sight, this.#input.recorder.claims);
    this.#follow(watch, watch.seen(honest, late, this.#nowMs()));
  }

  #follow(watch: Watch, command: WatchCommand): void {
    if (command.type === 'nothing') return;
    if (command.type === 'settle') this.#watches.delete(watch.step);
    this.#beside(() => perform(watch, command, this.#input, this.#timers));
  }

  #onSettled({ planned, report, made, again }: SettledMessage): void {
    this.#under -= 1;
    if (again && this.#mayGoAgain(planned)) return;
    this.#reports.end(planned, report);
    if (this.#reports.isEnded) this.#pauses.end();
    if (report.end === 'confirmed') return this.#schedule.confirmed(planned);
    const outcome = report.end === 'undecided' ? 'undecided' : this.#sendings.failureOf(planned);
    for (const dropped of this.#schedule.failed(planned, outcome, new Set(made)))
      this.#reports.skip(dropped, `${planned.id} did not succeed`);
  }

  /** Puts a step whose attempt had no effect back, unless the plan no longer has it or it was sent often enough. */
  #mayGoAgain(planned: PlannedStep): boolean {
    if (planned.resources.some((id) => this.#input.knowledge.resource(id) === undefined) || this.#isHalted())
      return false;
    return this.#sendings.leaveOne(planned) && this.#schedule.again(planned);
  }

  #onHeard(watch: Watch | undefined): void {
    if (watch !== undefined) this.#follow(watch, watch.look(this.#nowMs()));
  }

  #beside(work: () => Promise<Message>, sending = false): void {
    work().then(
      (message) => this.#mailbox.post(message),
      (thrown: unknown) => this.#mailbox.post({ type: 'broke', thrown, sending }),
    );
  }
}
