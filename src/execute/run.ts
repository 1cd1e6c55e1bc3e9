import { invariant } from '../model/error.js';
import type { PlannedStep } from '../model/change.js';
import { countChangeSet } from '../model/counts.js';
import type { StepId } from '../model/id.js';
import { continuedAttempts, type Continued } from './continued.js';
import { close, conclude, confirm, pause } from './errands.js';
import { Gate } from './gate.js';
import { Mailbox } from './mailbox.js';
import { nextLookMs } from './pace.js';
import { Headway } from './headway.js';
import { failureText } from './refusal.js';
import { Reports } from './reports.js';
import type { RunResult } from './result.js';
import type { RunInput } from './run-input.js';
import type { Message, SettledMessage } from './run-message.js';
import { Schedule } from './schedule.js';
import { sendStep, type Answered, type Sender, type Sent } from './send.js';
import { Sendings } from './sendings.js';
import { Timers } from './timers.js';
import { Watches } from './watches.js';
import { connect } from './wiring.js';

/**
 * The loop over messages. Everything that takes time runs beside it and leaves one; between two of them nothing is decided,
 * so that what it decides depends on nothing but their order.
 *
 * What becomes of an attempt is drawn in src/README.md.
 */
export class Run {
  readonly #input: RunInput & Sender;
  readonly #mailbox = new Mailbox<Message>((message) => this.#read(message));
  readonly #schedule: Schedule;
  readonly #gate = new Gate();
  readonly #watches: Watches;
  readonly #sendings: Sendings;
  readonly #reports: Reports;
  /** Waits between looks, which end with the run, and before a step is sent again, which end when it is stopped. */
  readonly #timers: Timers;
  readonly #pauses: Timers;
  readonly #headway = new Headway();

  constructor(input: RunInput) {
    this.#input = {
      ...input,
      isHalted: (planned) => this.#isHalted(planned),
      enter: (planned, isAnew) => this.#enter(planned, isAnew),
      onWrite: () => (this.#headway.writing += 1),
      onWritten: () => this.#headway.written(),
    };
    this.#schedule = new Schedule(input.changeSet.steps, input.maxInFlight, input);
    this.#reports = new Reports((event) => input.recorder.tell(event));
    this.#sendings = new Sendings(input.pace.maxSendings);
    this.#timers = new Timers(input.ports.clock);
    this.#pauses = new Timers(input.ports.clock);
    this.#watches = new Watches(input, this.#timers, this.#mailbox, (work) => this.#beside(work));
  }

  /**
   * Runs until every step ended or was left out.
   *
   * @throws whatever a port threw; nothing is sent after it, and what was being sent is answered and recorded first
   */
  async finish(): Promise<RunResult> {
    const { signal, changeSet, recorder } = this.#input;
    const { steps, changes } = countChangeSet(changeSet);
    recorder.tell({ type: 'run-planned', steps, changes });
    if (signal.aborted) this.#stop();
    for (const continued of continuedAttempts(changeSet.steps, recorder.state)) this.#resume(continued);
    const disconnect = connect(this.#input, this.#mailbox);
    try {
      this.#begin();
      // Not before everything that an earlier run began has its place: it would be begun a second time.
      this.#mailbox.open();
      await this.#headway.end();
    } finally {
      this.#timers.end();
      this.#pauses.end();
      disconnect();
      await recorder.rest();
    }
    const { broken, stopped } = this.#headway;
    if (broken !== undefined) throw broken.thrown;
    return this.#reports.summary(changeSet.steps, stopped, recorder.state);
  }

  /** What comes when the run is over changes nothing. */
  #read(message: Message): void {
    if (this.#headway.isOver) return;
    try {
      this.#handle(message);
      this.#begin();
    } catch (thrown) {
      this.#headway.broken ??= { thrown };
      this.#gate.openAll();
    }
    this.#headway.check();
  }

  #handle(message: Message): void {
    switch (message.type) {
      case 'sent':
        return this.#onSent(message.planned, message.sent);
      case 'again':
        return this.#sendAnew(message.planned);
      case 'seen':
      case 'due':
        return this.#watches.advance(message);
      case 'heard':
        return this.#watches.heard(message.step);
      case 'settled':
        return this.#onSettled(message);
      case 'stopped':
        return this.#stop();
      case 'drained':
        this.#headway.drained = true;
        return;
      case 'broke':
        this.#headway.broken ??= message;
    }
  }

  /** Nothing more is sent. What was sent is answered, and its outcome waited for, but not for ever. */
  #stop(): void {
    this.#headway.stopped = true;
    this.#pauses.end();
    this.#beside(async () => {
      await this.#timers.sleep(this.#input.pace.drainMs);
      return { type: 'drained' };
    });
  }

  /** Continues an attempt of an earlier run: it is looked for, and sent anew only when it provably had no effect. */
  #resume({ planned, attempt, effectless }: Continued): void {
    this.#headway.under += 1;
    this.#schedule.resume(planned, attempt.answered?.outcome !== 'accepted');
    if (!effectless) return this.#watches.begin(planned, attempt, false);
    this.#schedule.answered(planned);
    this.#beside(() => conclude({ planned, attempt }, this.#input));
  }

  #begin(): void {
    if (this.#isHalted()) return this.#gate.openAll();
    for (const planned of this.#schedule.admit()) this.#gate.open(planned);
    for (const planned of this.#schedule.take()) {
      this.#headway.under += 1;
      this.#input.recorder.tell({ type: 'step-begun', id: planned.id, resources: planned.resources });
      this.#send(planned);
    }
  }

  /** A place in flight; nothing that will not be sent anyway waits for one. */
  #enter(planned: PlannedStep, isAnew: boolean): Promise<void> | undefined {
    const mayGoOn = this.#isHalted(planned) || this.#schedule.enter(planned, isAnew);
    return mayGoOn ? undefined : this.#gate.wait(planned);
  }

  #send(planned: PlannedStep): void {
    this.#sendings.begin(planned);
    this.#beside(async () => ({ type: 'sent', planned, sent: await sendStep(planned, this.#input) }));
  }

  /** True when nothing more is sent: at all, or of a step that was dropped after it had begun. */
  #isHalted(planned?: PlannedStep): boolean {
    const isDropped = planned !== undefined && this.#schedule.culpritOf(planned) !== undefined;
    return isDropped || this.#headway.isEnding;
  }

  #sendAnew(planned: PlannedStep): void {
    if (this.#isHalted(planned)) this.#leave(planned);
    else this.#send(planned);
  }

  /** A step that had begun but sends nothing more. */
  #leave(planned: PlannedStep): void {
    const culprit = this.#schedule.culpritOf(planned);
    if (culprit !== undefined) this.#reports.skip(planned, culprit);
    this.#headway.under -= 1;
    this.#schedule.left(planned);
  }

  #onSent(planned: PlannedStep, sent: Sent): void {
    switch (sent.type) {
      case 'withheld':
        return this.#leave(planned);
      case 'refused':
        return this.#end(planned, undefined, sent.message);
      case 'open':
        this.#schedule.answered(planned, sent.attempt.answered?.outcome !== 'accepted');
        return this.#watches.begin(planned, sent.attempt, false);
      case 'effective':
        this.#schedule.answered(planned);
        return this.#mailbox.post(confirm(planned, sent, this.#input.recorder));
      case 'answered':
        return this.#onAnswered(planned, sent);
    }
  }

  #onAnswered(planned: PlannedStep, { step, answer, failure }: Answered): void {
    if (answer.outcome === 'accepted' || answer.outcome === 'ambiguous') {
      this.#schedule.answered(planned, answer.outcome === 'ambiguous');
      const attempt = this.#input.recorder.state.attempts.get(step);
      invariant(attempt !== undefined, 'an answered attempt is in the journal');
      return this.#watches.begin(planned, attempt, answer.outcome === 'accepted');
    }
    if (!this.#isHalted(planned) && this.#sendings.mayRepeat(planned, answer))
      return this.#sendAgain(planned, step, answer.message ?? answer.outcome, answer.retryAfterMs);
    this.#sendings.giveUp(planned, failure);
    return this.#end(planned, step, failureText(answer, failure));
  }

  /** The attempt provably had no effect, so its step is sent anew; the journal says so first. */
  #sendAgain(planned: PlannedStep, step: StepId, message: string, retryAfterMs: number | undefined): void {
    const ms = retryAfterMs ?? nextLookMs(this.#input.pace, this.#sendings.of(planned), false);
    this.#input.recorder.tell({ type: 'step-waiting', step, reason: message });
    this.#beside(() => pause({ planned, step, message, ms }, this.#input.recorder, this.#pauses));
  }

  /** Ends an attempt that provably had no effect. */
  #end(planned: PlannedStep, step: StepId | undefined, message: string): void {
    this.#schedule.answered(planned);
    // At once: what this drops must not begin because the lane is free.
    this.#onSettled(close({ planned, step, message, again: false }, this.#input.recorder));
  }

  #onSettled({ planned, report, made, again }: SettledMessage): void {
    this.#headway.under -= 1;
    if (again && this.#mayGoAgain(planned)) return;
    this.#reports.end(planned, report);
    if (report.end === 'confirmed') return this.#schedule.confirmed(planned);
    if (this.#input.failFast) this.#pauses.end();
    const outcome = report.end === 'undecided' ? 'undecided' : this.#sendings.failureOf(planned);
    for (const dropped of this.#schedule.failed(planned, outcome, new Set(made)))
      this.#reports.skip(dropped, planned);
  }

  /** Puts a step whose attempt had no effect back, unless the plan no longer has it or it was sent often enough. */
  #mayGoAgain(planned: PlannedStep): boolean {
    if (planned.resources.some((id) => this.#input.knowledge.resource(id) === undefined)) return false;
    return !this.#isHalted() && this.#sendings.leaveOne(planned) && this.#schedule.again(planned);
  }

  #beside(work: () => Promise<Message>): void {
    work().then(
      (message) => this.#mailbox.post(message),
      (thrown: unknown) => this.#mailbox.post({ type: 'broke', thrown }),
    );
  }
}
