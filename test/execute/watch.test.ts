import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/model/canonical.js';
import type { Sight } from '../../src/execute/look.js';
import { localPace, REMOTE_PACE, type Pace } from '../../src/execute/pace.js';
import { Watch, type WatchCommand } from '../../src/execute/watch.js';
import { beginAttempt, type Attempt } from '../../src/state/attempt.js';
import type { Outcome } from '../../src/state/event.js';

const AT = '2026-03-01T09:00:00.000Z';
const NOW = Date.parse(AT);
const PLANNED = {
  id: 'audit-record.a',
  resources: ['audit-record.a'],
  operation: 'audit-record.create',
  dependsOn: [],
  lane: 'lane',
} as const;

const STEP = 'audit-record.a#1' as const;

function attempt(outcome: Outcome | undefined, over: Partial<Attempt> = {}): Attempt {
  const step = STEP;
  const [resources, operation] = [PLANNED.resources, PLANNED.operation];
  const intent = { type: 'step-intended', step, resources, operation, lane: 'lane', at: AT } as const;
  const made = { token: digestOf(1), request: digestOf(2), before: {}, inputs: {} };
  const answered = outcome && { type: 'step-answered' as const, at: AT, step, outcome };
  return { ...beginAttempt({ ...intent, ...made }), answered, ...over };
}

function watching(
  outcome: Outcome | undefined,
  how: {
    readonly pace?: Pace;
    readonly callbacks?: boolean;
    readonly nowMs?: number;
    readonly operation?: string;
  } = {},
): Watch {
  const { pace = REMOTE_PACE, callbacks = true, nowMs = NOW, operation = PLANNED.operation } = how;
  return new Watch(PLANNED, attempt(outcome, { operation }), { pace, nowMs, callbacks });
}

const WAIT: Sight = { verdict: { type: 'wait' }, absent: false, looked: [] };
const SHOWN_ABSENT: Sight = { verdict: { type: 'wait' }, absent: true, looked: [] };
const CONFIRMED: Sight = {
  verdict: { type: 'confirmed', grade: 'B', outputs: {} },
  absent: false,
  looked: [],
};
const LATE = NOW + REMOTE_PACE.acceptedHorizonMs + 1;

/** Lets the watch look at a time, and see something. */
function lookAt(watch: Watch, nowMs: number, sight: Sight): WatchCommand {
  const command = watch.look(nowMs);
  if (command.type !== 'look') throw new Error(`it does ${command.type}`);
  return watch.seen(sight, command.late, nowMs);
}

describe('a watch', () => {
  test('leaves a fresh answer alone for as long as a callback may take, and looks sooner where none comes', () => {
    expect(watching('accepted').start(true)).toMatchObject({
      type: 'wait',
      ms: REMOTE_PACE.firstLookWithCallbackMs,
    });
    const sooner = { type: 'wait', ms: REMOTE_PACE.firstLookMs };
    expect(watching('accepted', { callbacks: false }).start(true)).toMatchObject(sooner);
    expect(watching('accepted', { operation: 'category.create' }).start(true)).toMatchObject(sooner);
    expect(watching('ambiguous').start(true)).toMatchObject(sooner);
  });

  test('looks at once at what an earlier run left, and when evidence comes in', () => {
    expect(watching('accepted').start(false)).toEqual({ type: 'look', late: false });
    const watch = watching('accepted');
    watch.start(true);
    expect(watch.look(NOW)).toEqual({ type: 'look', late: false });
  });

  test('gives up at its first look where nothing can ever be shown, and waits where a callback may come', () => {
    const blind = { pace: REMOTE_PACE, nowMs: NOW, callbacks: false, blind: true };
    expect(lookAt(new Watch(PLANNED, attempt('ambiguous'), blind), NOW, WAIT)).toMatchObject({
      type: 'settle',
      event: { state: 'undecided', message: expect.stringContaining('nothing here can show') as string },
    });
    const silent = attempt('ambiguous', { operation: 'category.create' });
    expect(lookAt(new Watch(PLANNED, silent, { ...blind, callbacks: true }), NOW, WAIT).type).toBe('settle');
    const heard = new Watch(PLANNED, attempt('ambiguous'), { ...blind, callbacks: true });
    expect(lookAt(heard, NOW, WAIT).type).toBe('wait');
  });

  test('tells once why it waits, on what evidence and until when, and again when that changes', () => {
    const watch = watching('ambiguous');
    const looked = [{ read: 'audit.transactions 0xA 0xB', showed: 'no entry' }];
    const told = {
      type: 'step-watched',
      step: STEP,
      answer: 'ambiguous',
      evidence: ['callback', 'audit.transactions'],
      until: new Date(NOW + REMOTE_PACE.ambiguousHorizonMs).toISOString(),
    };
    expect(lookAt(watch, NOW, { ...WAIT, looked })).toMatchObject({ type: 'wait', told });
    expect(lookAt(watch, NOW + 10, { ...WAIT, looked })).not.toHaveProperty('told');
    const more = [...looked, { read: 'receipt 0x1', showed: 'nothing' }];
    expect(lookAt(watch, NOW + 20, { ...WAIT, looked: more })).toMatchObject({
      told: { evidence: ['callback', 'audit.transactions', 'receipt'] },
    });
    // A callback may take long elsewhere: that is told before anything was looked at.
    expect(watching('accepted').start(true)).toMatchObject({ told: { evidence: ['callback'] } });
    expect(watching('accepted', { pace: localPace(5_000) }).start(true)).not.toHaveProperty('told');
  });

  test('has one look under way; evidence meanwhile makes it look once more', () => {
    const watch = watching('accepted');
    watch.look(NOW);
    expect(watch.look(NOW)).toEqual({ type: 'nothing' });
    expect(watch.look(NOW)).toEqual({ type: 'nothing' });
    expect(watch.seen(WAIT, false, NOW)).toMatchObject({ type: 'look' });
    expect(watch.seen(WAIT, false, NOW)).toMatchObject({ type: 'wait' });
  });

  test('heeds only its last timer', () => {
    const watch = watching('accepted');
    const first = watch.start(true);
    const second = lookAt(watch, NOW, WAIT);
    if (first.type !== 'wait' || second.type !== 'wait') throw new Error('it waits');
    expect(watch.due(first.turn, NOW)).toEqual({ type: 'nothing' });
    expect(watch.due(second.turn, NOW)).toMatchObject({ type: 'look' });
  });

  test('looks less and less often, and once more when the horizon has passed', () => {
    const watch = watching('accepted', { callbacks: false });
    const waits = [NOW, NOW, NOW, NOW, NOW, NOW].map((now) => lookAt(watch, now, WAIT));
    const ms = waits.map((command) => (command.type === 'wait' ? command.ms : NaN));
    expect(ms).toEqual(ms.toSorted((a, b) => a - b));
    expect(Math.max(...ms)).toBe(REMOTE_PACE.maxLookMs);
    expect(lookAt(watch, LATE - 100, WAIT)).toMatchObject({ type: 'wait', ms: 99 });
    expect(watch.look(LATE)).toEqual({ type: 'look', late: true });
  });

  test('settles what is proven and then wants nothing more', () => {
    const watch = watching('accepted');
    const settled = lookAt(watch, NOW, CONFIRMED);
    expect(settled).toMatchObject({
      type: 'settle',
      again: false,
      event: { type: 'step-settled', step: 'audit-record.a#1', state: 'confirmed', grade: 'B' },
      report: { end: 'confirmed' },
    });
    expect(watch.look(NOW)).toEqual({ type: 'nothing' });
  });
});

describe('a watch whose horizon has passed', () => {
  test('gives up as undecided when nothing bounds the delay of the service', () => {
    for (const outcome of ['accepted', 'ambiguous', undefined] as const)
      for (const sight of [WAIT, SHOWN_ABSENT])
        expect(lookAt(watching(outcome), LATE, sight)).toMatchObject({
          type: 'settle',
          again: false,
          event: { state: 'undecided' },
        });
  });

  test('lets a step go again when the platform bounds its delay and every read shows nothing', () => {
    const pace = localPace(1_000);
    const late = NOW + pace.ambiguousHorizonMs;
    const twice = watching('ambiguous', { pace });
    expect(lookAt(twice, late, SHOWN_ABSENT)).toMatchObject({ type: 'wait', ms: 1_000 });
    expect(lookAt(twice, late + 1_000, SHOWN_ABSENT)).toMatchObject({
      again: true,
      event: { state: 'failed' },
    });
    expect(lookAt(watching('ambiguous', { pace }), late, WAIT)).toMatchObject({
      again: false,
      event: { state: 'undecided' },
    });
    expect(lookAt(watching('ambiguous', { pace }), late - 1, SHOWN_ABSENT)).toMatchObject({ type: 'wait' });
  });

  test('ends a refused step with the refusal, and lets it go again only when it came too often', () => {
    const pace = localPace(1_000);
    const late = NOW + pace.ambiguousHorizonMs;
    for (const status of [422, 429]) {
      const answered = { type: 'step-answered', at: AT, step: STEP, outcome: 'rejected', status } as const;
      const refused = attempt(undefined, { answered: { ...answered, message: 'no' } });
      const watch = new Watch(PLANNED, refused, { pace, nowMs: NOW, callbacks: true });
      lookAt(watch, late, SHOWN_ABSENT);
      expect(lookAt(watch, late + 1_000, SHOWN_ABSENT)).toMatchObject({
        again: status === 429,
        event: { state: 'failed', message: 'no' },
      });
    }
  });
});

describe('a watch of an attempt of an earlier run', () => {
  const LATER = NOW + 86_400_000;

  test('does not wait the whole horizon again where waiting proves nothing', () => {
    const watch = watching('ambiguous', { nowMs: LATER });
    expect(lookAt(watch, LATER, WAIT)).toMatchObject({ type: 'wait' });
    expect(watch.look(LATER + 2 * REMOTE_PACE.maxLookMs)).toEqual({ type: 'look', late: true });
  });

  test('waits the whole horizon where the platform may be finishing it, but not once more when that was in vain', () => {
    const pace = localPace(1_000);
    const undecided = {
      type: 'step-settled',
      step: STEP,
      state: 'undecided',
      grade: 'D',
      outputs: {},
      at: AT,
    } as const;
    const resumed = (settled: Attempt['settled']) =>
      new Watch(PLANNED, attempt('accepted', { settled }), { pace, nowMs: LATER, callbacks: true });
    expect(lookAt(resumed(undefined), LATER + pace.acceptedHorizonMs - 1, WAIT)).toMatchObject({
      type: 'wait',
    });
    expect(lookAt(resumed(undecided), LATER + pace.ambiguousHorizonMs - 1, WAIT)).toMatchObject({
      type: 'wait',
    });
    expect(lookAt(resumed(undecided), LATER + pace.ambiguousHorizonMs, WAIT)).toMatchObject({
      again: false,
      event: { state: 'undecided' },
    });
  });

  test('waits for the time that the request names, when the clock was ahead as it was sent; a long time bounds nothing', () => {
    const pace = localPace(1_000);
    const end = NOW + pace.ambiguousHorizonMs;
    const ahead = watching('ambiguous', { pace, nowMs: NOW - 300_000 });
    expect(lookAt(ahead, end - 1, SHOWN_ABSENT)).toMatchObject({ type: 'wait', ms: 1 });
    expect(lookAt(ahead, end, SHOWN_ABSENT)).toMatchObject({ type: 'wait' });
    expect(lookAt(ahead, end + 1_000, SHOWN_ABSENT)).toMatchObject({ again: true });
    const longAgo = NOW - pace.acceptedHorizonMs - 1;
    const far = watching('ambiguous', { pace, nowMs: longAgo });
    expect(lookAt(far, longAgo + pace.ambiguousHorizonMs, SHOWN_ABSENT)).toMatchObject({
      again: false,
      event: { state: 'undecided' },
    });
  });

  test('waits it from now on where absence will be a proof, and when the clock went back', () => {
    const pace = localPace(1_000);
    const watch = watching('ambiguous', { pace, nowMs: LATER });
    expect(lookAt(watch, LATER + pace.ambiguousHorizonMs - 1, SHOWN_ABSENT)).toMatchObject({ type: 'wait' });
    const earlier = NOW - 86_400_000;
    const back = watching('accepted', { nowMs: earlier });
    expect(lookAt(back, earlier + REMOTE_PACE.acceptedHorizonMs, WAIT)).toMatchObject({
      event: { state: 'undecided' },
    });
  });
});
