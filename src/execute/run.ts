import { invariant } from '../model/error.js';
import type { PlannedStep } from '../model/change.js';
import type { ResourceId, StepId } from '../model/id.js';
import { isOpen, type Attempt } from '../state/attempt.js';
import { recordCallback } from './hear.js';
import { look } from './look.js';
import { Mailbox } from './mailbox.js';
import { nextLookMs } from './pace.js';
import type { NewEvent } from './recorder.js';
import { summarise, type RunResult, type StepReport } from './result.js';
import type { RunInput } from './run-input.js';
import type { Message } from './run-message.js';
import { Schedule } from './schedule.js';
import { sendStep, type Sent } from './send.js';
import { Watch, type WatchCommand } from './watch.js';

/**
 * The loop. Everything that takes time runs beside it and leaves a message; the loop's only await is for the next
 * message, so that what it decides depends on nothing but their order.
 *
 * ```
 * planned ─ send ─► answered ─┬─ not_sent, 429 ──► sent again, as a new attempt
 *                             ├─ rejected ───────► failed
 *                             └─ accepted, ambiguous ─► watched ─┬─ proof ──────────► confirmed | failed
 *                                    ▲ callback, timer ──────────┴─ horizon passed ─► undecided (where the service
 *                                                                    bounds its delay and shows nothing: failed)
 * ```
 */
export class Run {
  readonly #input: RunInput;
  readonly #mailbox = new Mailbox<Message>();
  readonly #schedule: Schedule;
  readonly #watches = new Map<StepId, Watch>();
  readonly #sendings = new Map<PlannedStep, number>();
  readonly #reports: StepReport[] = [];
  /** Ends every timer when the run ends. */
  readonly #timers = new AbortController();
  #under = 0;
  #stopped = false;

  constructor(input: RunInput) {
    this.#input = input;
    this.#schedule = new Schedule(input.changeSet.steps, input.maxInFlight);
  }

  /** Runs until every step ended or was left out. @throws whatever a port threw; nothing begins after it */
  async finish(): Promise<RunResult> {
    const { signal, ports, observe, changeSet } = this.#input;
    observe({ type: 'run-planned', steps: changeSet.steps.length });
    signal.addEventListener('abort', () => this.#mailbox.post({ type: 'stopped' }), { once: true });
    this.#stopped = signal.aborted;
    this.#resume();
    ports.inbox.receive(async (step, body) => {
      await recordCallback(this.#input.recorder, step, body);
      this.#mailbox.post({ type: 'heard', step });
    });
    this.#begin();
    try {
      while (this.#under > 0) {
        this.#handle(await this.#mailbox.next());
        this.#begin();
      }
    } finally {
      this.#timers.abort();
    }
    return this.#summary();
  }

  #handle(message: Message): void {
    switch (message.type) {
      case 'sent':
        return this.#onSent(message.planned, message.sent);
      case 'again':
        return this.#send(message.planned);
      case 'seen':
        return this.#follow(message.watch, message.watch.seen(message.sight, message.late, this.#nowMs()));
      case 'due':
        return this.#follow(message.watch, message.watch.due(message.turn, this.#nowMs()));
      case 'heard':
        return this.#onHeard(this.#watches.get(message.step));
      case 'settled':
        return this.#onSettled(message.planned, message.report, message.made);
      case 'stopped':
        this.#stopped = true;
        return;
      case 'broke':
        throw message.thrown;
    }
  }

  /** Continues attempts of earlier runs: they are looked for, never sent again. */
  #resume(): void {
    const open = [...this.#input.recorder.state.attempts.values()].filter(isOpen);
    for (const attempt of open) {
      const planned = this.#input.changeSet.steps.find(({ resources }) =>
        resources.some((id) => attempt.resources.includes(id)),
      );
      if (planned === undefined) continue;
      this.#under += 1;
      this.#schedule.resume(planned);
      this.#watch(planned, attempt, false);
    }
  }

  #begin(): void {
    if (this.#stopped) return;
    for (const planned of this.#schedule.take()) {
      this.#under += 1;
      this.#input.observe({ type: 'step-begun', id: planned.id, resources: planned.resources });
      this.#send(planned);
    }
  }

  #send(planned: PlannedStep): void {
    this.#sendings.set(planned, (this.#sendings.get(planned) ?? 0) + 1);
    this.#beside(async () => ({ type: 'sent', planned, sent: await sendStep(planned, this.#input) }));
  }

  #onSent(planned: PlannedStep, sent: Sent): void {
    if (sent.type === 'refused') return this.#end(planned, undefined, sent.message);
    const { step, answer } = sent;
    if (answer.outcome === 'accepted' || answer.outcome === 'ambiguous') {
      this.#schedule.answered(planned);
      const attempt = this.#input.recorder.state.attempts.get(step);
      invariant(attempt !== undefined, 'an answered attempt is in the journal');
      return this.#watch(planned, attempt, answer.outcome === 'accepted');
    }
    const repeatable = (answer.outcome === 'not_sent' || answer.status === 429) && !this.#stopped;
    if (repeatable && (this.#sendings.get(planned) ?? 0) < this.#input.pace.maxSendings) {
      return this.#sendAgain(planned, step, answer.message ?? answer.outcome, answer.retryAfterMs);
    }
    return this.#end(planned, step, answer.message ?? answer.outcome);
  }

  /** The attempt provably had no effect, so its step is sent anew; the journal says so first. */
  #sendAgain(planned: PlannedStep, step: StepId, message: string, retryAfterMs: number | undefined): void {
    const ms = retryAfterMs ?? nextLookMs(this.#input.pace, this.#sendings.get(planned) ?? 1, false);
    this.#input.observe({ type: 'step-waiting', step, reason: message });
    this.#beside(async () => {
      await this.#input.recorder.record(closed(step, message));
      await this.#input.ports.clock.sleep(ms, this.#input.signal);
      return { type: 'again', planned };
    });
  }

  /** Ends a step that provably had no effect. */
  #end(planned: PlannedStep, step: StepId | undefined, message: string): void {
    this.#schedule.answered(planned);
    const report: StepReport = {
      id: planned.id,
      resources: planned.resources,
      end: 'failed',
      ...(step !== undefined && { step }),
      message,
    };
    this.#beside(async () => {
      if (step !== undefined) await this.#input.recorder.record(closed(step, message));
      return { type: 'settled', planned, report, made: [] };
    });
  }

  #onHeard(watch: Watch | undefined): void {
    if (watch !== undefined) this.#follow(watch, watch.look(this.#nowMs()));
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
    const heard = attempt.evidence.length > 0;
    this.#follow(watch, watch.start(fresh && !heard));
  }

  #follow(watch: Watch, command: WatchCommand): void {
    const { ports, knowledge, recorder } = this.#input;
    switch (command.type) {
      case 'nothing':
        return;
      case 'look':
        return this.#beside(async () => {
          const attempt = recorder.state.attempts.get(watch.step);
          invariant(attempt !== undefined, 'a watched attempt is in the journal');
          const sight = await look(attempt, command.late, knowledge.abilities, ports.service);
          return { type: 'seen', watch, sight, late: command.late };
        });
      case 'wait':
        return this.#beside(async () => {
          await ports.clock.sleep(command.ms, this.#timers.signal);
          return { type: 'due', watch, turn: command.turn };
        });
      case 'settle':
        this.#watches.delete(watch.step);
        return this.#beside(async () => {
          await recorder.record(command.event);
          const made =
            command.event.type === 'step-settled' ? (Object.keys(command.event.outputs) as ResourceId[]) : [];
          return { type: 'settled', planned: watch.planned, report: command.report, made };
        });
    }
  }

  #onSettled(planned: PlannedStep, report: StepReport, made: readonly ResourceId[]): void {
    this.#under -= 1;
    this.#report(report);
    if (report.end === 'confirmed') return this.#schedule.confirmed(planned);
    const outcome = report.end === 'undecided' ? 'undecided' : 'failed';
    for (const { id, resources } of this.#schedule.failed(planned, outcome, new Set(made))) {
      this.#report({ id, resources, end: 'skipped', message: `${planned.id} did not succeed` });
    }
  }

  #report(report: StepReport): void {
    this.#reports.push(report);
    this.#input.observe({ type: 'step-ended', report });
  }

  #summary(): RunResult {
    const ended = new Set(this.#reports.map(({ id }) => id));
    const left = this.#input.changeSet.steps.filter(({ id }) => !ended.has(id));
    for (const { id, resources } of left)
      this.#report({ id, resources, end: 'skipped', message: 'the run was stopped' });
    return summarise(this.#reports, this.#stopped);
  }

  #nowMs(): number {
    return this.#input.ports.clock.nowMs();
  }

  #beside(work: () => Promise<Message>): void {
    work().then(
      (message) => this.#mailbox.post(message),
      (thrown: unknown) => this.#mailbox.post({ type: 'broke', thrown }),
    );
  }
}

function closed(step: StepId, message: string): NewEvent {
  return { type: 'step-settled', step, state: 'failed', grade: 'D', outputs: {}, message };
}
