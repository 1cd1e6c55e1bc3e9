import type { PlannedStep } from '../model/change.js';
import type { StepId } from '../model/id.js';
import { operationNamed } from '../kinds/registry.js';
import type { Attempt } from '../state/attempt.js';
import type { Looked } from '../state/event.js';
import { nameOfRead } from './looked.js';
import type { NewEvent } from './recorder.js';
import type { Sight } from './look.js';
import { nextLookMs, unbounded, type Pace } from './pace.js';
import type { StepReport, StepWatched } from './result.js';

/** What the loop is asked to do for an attempt: look now, look after a time, or record its end. */
export type WatchCommand =
  | { readonly type: 'look'; readonly late: boolean }
  | { readonly type: 'wait'; readonly ms: number; readonly turn: number; readonly told?: StepWatched }
  | {
      readonly type: 'settle';
      readonly event: Extract<NewEvent, { type: 'step-settled' }>;
      readonly report: StepReport;
      /** The platform provably did not execute the request: the step may be sent anew. */
      readonly again: boolean;
    }
  | { readonly type: 'nothing' };

/** A wait of so long is told before anything was looked at. */
const LONG_MS = 5_000;

const NOTHING: WatchCommand = { type: 'nothing' };

/**
 * Follows one attempt from its answer to its settled outcome. Decides only; the loop does. At most one look is under
 * way; evidence that comes in meanwhile makes it look once more.
 */
export class Watch {
  readonly planned: PlannedStep;
  readonly step: StepId;
  readonly #pace: Pace;
  readonly #deadlineMs: number;
  readonly #callbackExpected: boolean;
  /** Nothing can ever show its outcome here: no read is made for it, and nothing calls back. */
  readonly #isBlind: boolean;
  readonly #answer: StepWatched['answer'];
  readonly #mayHear: boolean;
  /** A refusal that may hide an effect. */
  readonly #refusal: Attempt['answered'];
  #looks = 0;
  /** The evidence that was told last. */
  #told: string | undefined;
  /** Which timer counts. */
  #turn = 0;
  /** When the last look began, and when reads that worked first showed nothing. */
  #lookedAtMs = 0;
  #absentAtMs: number | undefined;
  #state: 'idle' | 'looking' | 'looking-again' | 'settling' = 'idle';

  constructor(
    planned: PlannedStep,
    attempt: Attempt,
    how: {
      readonly pace: Pace;
      readonly nowMs: number;
      readonly callbacks: boolean;
      readonly blind?: boolean;
    },
  ) {
    this.planned = planned;
    this.step = attempt.step;
    this.#pace = paceFor(attempt, how.pace, how.nowMs);
    const accepted = attempt.answered?.outcome === 'accepted';
    this.#refusal = attempt.answered?.outcome === 'rejected' ? attempt.answered : undefined;
    this.#deadlineMs = deadlineMs(attempt, accepted, this.#pace, how.nowMs);
    this.#mayHear = how.callbacks && operationNamed(attempt.operation)?.silent !== true;
    this.#callbackExpected = this.#mayHear && accepted;
    this.#isBlind = how.blind === true && !this.#mayHear;
    this.#answer = attempt.answered?.outcome ?? 'none';
  }

  /** The first thing to do. A fresh answer that will be called back about is left alone for a while. */
  start(fresh: boolean): WatchCommand {
    if (!fresh) return this.look(0);
    const ms = nextLookMs(this.#pace, 0, this.#callbackExpected);
    return this.#wait(ms, ms < LONG_MS ? undefined : []);
  }

  /** A timer ran out; one that a look has overtaken means nothing. */
  due(turn: number, nowMs: number): WatchCommand {
    return turn === this.#turn ? this.look(nowMs) : NOTHING;
  }

  /** Evidence came in, or it is time. */
  look(nowMs: number): WatchCommand {
    if (this.#state === 'looking') this.#state = 'looking-again';
    if (this.#state !== 'idle') return NOTHING;
    this.#state = 'looking';
    this.#lookedAtMs = nowMs;
    this.#turn += 1;
    return { type: 'look', late: nowMs >= this.#deadlineMs };
  }

  /** A look came back. */
  seen(sight: Sight, late: boolean, nowMs: number): WatchCommand {
    const again = this.#state === 'looking-again';
    this.#state = 'idle';
    this.#looks += 1;
    const { verdict } = sight;
    if (verdict.type !== 'wait') return this.#settle(verdict.type, verdict);
    if (again) return this.look(nowMs);
    if (this.#isBlind) return this.#giveUp(sight);
    const finishing = late ? this.#finishing(sight.absent, nowMs) : undefined;
    if (finishing !== undefined) return finishing;
    if (late) return this.#giveUp(sight);
    const ms = nextLookMs(this.#pace, this.#looks, this.#callbackExpected);
    return this.#wait(Math.max(1, Math.min(ms, this.#deadlineMs - nowMs)), sight.looked);
  }

  /** @param looked what was just looked at; undefined: nothing is told of the wait */
  #wait(ms: number, looked?: readonly Looked[]): WatchCommand {
    this.#turn += 1;
    const wait = { type: 'wait', ms, turn: this.#turn } as const;
    const told = looked === undefined ? undefined : this.#watched(looked);
    return told === undefined ? wait : { ...wait, told };
  }

  /** What is to be told of the wait; undefined when that was told already. */
  #watched(looked: readonly Looked[]): StepWatched | undefined {
    const evidence = [...(this.#mayHear ? ['callback'] : []), ...looked.map(({ read }) => nameOfRead(read))];
    const told: StepWatched = {
      type: 'step-watched',
      step: this.step,
      answer: this.#answer,
      evidence: [...new Set(evidence)],
      until: new Date(this.#deadlineMs).toISOString(),
    };
    const text = told.evidence.join();
    if (text === this.#told) return undefined;
    this.#told = text;
    return told;
  }

  /**
   * Where absence is a proof it must be seen twice, as far apart as the platform needs to finish what it had begun: it
   * may have been down until just before the first look.
   */
  #finishing(absent: boolean, nowMs: number): WatchCommand | undefined {
    const { executionBoundMs, ambiguousHorizonMs } = this.#pace;
    if (!absent || executionBoundMs === undefined) return undefined;
    const graceMs = Math.max(1, ambiguousHorizonMs - executionBoundMs);
    this.#absentAtMs ??= nowMs;
    return this.#lookedAtMs - this.#absentAtMs >= graceMs ? undefined : this.#wait(graceMs);
  }

  #giveUp({ absent, looked }: Sight): WatchCommand {
    if (absent && this.#pace.executionBoundMs !== undefined) {
      const message = this.#refusal?.message ?? 'the platform did not execute the request';
      // What was refused for another reason than its rate would be refused again.
      const again = this.#refusal === undefined || this.#refusal.status === 429;
      return { ...this.#settle('failed', { grade: 'B', message, outputs: {} }), again };
    }
    return this.#settle('undecided', {
      grade: 'D',
      message: this.#isBlind
        ? 'nothing here can show its outcome: this environment has no read for it, and nothing calls back'
        : 'no evidence of the outcome could be had',
      outputs: {},
      looked,
    });
  }

  #settle(
    state: 'confirmed' | 'failed' | 'undecided',
    facts: Pick<Extract<NewEvent, { type: 'step-settled' }>, 'grade' | 'outputs' | 'message' | 'looked'>,
  ): Extract<WatchCommand, { type: 'settle' }> {
    this.#state = 'settling';
    const { planned, step } = this;
    const message = facts.message === undefined ? {} : { message: facts.message };
    const { grade, outputs } = facts;
    const looked = facts.looked === undefined ? {} : { looked: facts.looked };
    return {
      type: 'settle',
      event: { type: 'step-settled', step, state, grade, outputs, ...message, ...looked },
      report: { id: planned.id, resources: planned.resources, end: state, step, ...message },
      again: false,
    };
  }
}

/**
 * What was sent while the clock was ahead names a time after which it must not be begun that lies ahead, too: it is waited
 * for, or, when that is too long, nothing bounds the delay of the attempt.
 */
function paceFor(attempt: Attempt, pace: Pace, nowMs: number): Pace {
  return sentMsOf(attempt) <= nowMs + pace.acceptedHorizonMs ? pace : unbounded(pace);
}

/**
 * When waiting ends. For an attempt of an earlier run the horizon counts from when it was sent, so that a step which
 * nothing can decide does not cost every run the whole horizon; but where absence is a proof, it counts from now, because
 * a platform that was down meanwhile may just be finishing what it had begun: whole, unless an earlier run waited it out
 * in vain, and then as long as the platform needs to finish.
 */
function deadlineMs(attempt: Attempt, accepted: boolean, pace: Pace, nowMs: number): number {
  const horizonMs = accepted ? pace.acceptedHorizonMs : pace.ambiguousHorizonMs;
  const waitedOut = attempt.settled?.state === 'undecided';
  if (pace.executionBoundMs !== undefined)
    return Math.max(nowMs, sentMsOf(attempt)) + (waitedOut ? pace.ambiguousHorizonMs : horizonMs);
  const sentMs = sentMsOf(attempt);
  return Math.min(nowMs + horizonMs, Math.max(sentMs + horizonMs, nowMs + 2 * pace.maxLookMs));
}

/** When it was sent at the latest, whatever the clock did; only when it was intended, where no answer was noted. */
function sentMsOf({ answered, at }: Attempt): number {
  return Math.max(Date.parse(at), answered === undefined ? 0 : Date.parse(answered.at));
}
