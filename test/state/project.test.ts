import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/model/canonical.js';
import { isEffectless, isOpen } from '../../src/state/attempt.js';
import type { StepId } from '../../src/model/id.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import {
  adopted,
  ANY_EVENT,
  AT,
  everyEvent,
  foldAttempts,
  intended,
  projectLock,
  settled,
  started,
} from './journal-events.js';

const TOKEN = 'contract.core.Token';
const REGISTRY = 'contract.core.Registry';
const STEP = 'deployment.core#1';
const INTENT = intended(STEP, { [TOKEN]: { cap: '1' }, [REGISTRY]: {} });
const LATER = '2026-03-02T09:00:00.000Z';

function entriesOf(...events: readonly JournalEvent[]): readonly string[] {
  return [...(projectLock([started(), ...events])?.entries.keys() ?? [])];
}

function serialOf(...events: readonly JournalEvent[]): number | undefined {
  return projectLock([started(), ...events])?.serial;
}

describe('the lock that a journal amounts to', () => {
  it('is nothing while the journal is empty', () => {
    expect(projectLock([])).toBeUndefined();
  });

  it('holds each resource that a confirmed step made, with the inputs of its intent', () => {
    const lock = projectLock([
      started(),
      INTENT,
      settled(STEP, { [TOKEN]: { address: '0xA' } }, { grade: 'A', at: LATER }),
    ]);
    expect(lock?.entries.get(TOKEN)).toEqual({
      id: TOKEN,
      kind: 'contract',
      inputs: { cap: '1' },
      digest: digestOf({ cap: '1' }),
      outputs: { address: '0xA' },
      grade: 'A',
      step: STEP,
      at: LATER,
    });
    expect(lock?.serial).toBe(1);
  });

  it('keeps what a failed batch did deploy, and nothing of a step that failed whole', () => {
    const partly = settled(STEP, { [REGISTRY]: { address: '0xB' } }, { state: 'failed' });
    expect(entriesOf(INTENT, partly)).toEqual([REGISTRY]);
    expect(entriesOf(INTENT, settled(STEP, {}, { state: 'failed' }))).toEqual([]);
    expect(serialOf(INTENT, settled(STEP, {}, { state: 'failed' }))).toBe(0);
  });

  it('does not change for a second confirmation of the same attempt', () => {
    const first = settled(STEP, { [TOKEN]: { address: '0xA' } });
    const second = settled(STEP, { [TOKEN]: { address: '0xEVIL' } });
    const lock = projectLock([started(), INTENT, first, second]);
    expect(lock?.entries.get(TOKEN)?.outputs.address).toBe('0xA');
    expect(lock?.serial).toBe(1);
  });

  it('takes what a person adopts, with their grade, and takes nothing for `absent`', () => {
    const undecided = settled(STEP, {}, { state: 'undecided' });
    const decide = { type: 'step-resolved', at: AT, step: STEP, statement: 'seen', by: 'ann' } as const;
    const outputs = { [TOKEN]: { address: '0xC' } };
    const lock = projectLock([started(), INTENT, undecided, { ...decide, decision: 'adopt', outputs }]);
    expect(lock?.entries.get(TOKEN)).toMatchObject({ grade: 'O', outputs: { address: '0xC' }, step: STEP });
    const read = projectLock([
      started(),
      INTENT,
      undecided,
      { ...decide, decision: 'adopt', outputs, grade: 'A' },
    ]);
    expect(read?.entries.get(TOKEN)?.grade).toBe('A');
    expect(entriesOf(INTENT, undecided, { ...decide, decision: 'absent' })).toEqual([]);
  });

  it('moves and forgets entries, counting only what changed it', () => {
    const moved = { type: 'resource-moved', at: AT, from: 'tag.a', to: 'tag.b' } as const;
    const forgotten = { type: 'resource-forgotten', at: AT, id: 'tag.b' } as const;
    const tag = adopted('tag.a', { id: '1' });
    expect(entriesOf(tag, moved)).toEqual(['tag.b']);
    expect(serialOf(tag, moved, forgotten)).toBe(3);
    expect(serialOf(tag, moved, forgotten, forgotten, moved)).toBe(3);
    expect(projectLock([started(), tag, moved])?.entries.get('tag.b')?.id).toBe('tag.b');
  });

  it('goes on from the serial of an imported lockfile, whose entries do not count again', () => {
    const imported = adopted('tag.a', { id: '1' }, { imported: true, step: 'tag.a#3' });
    const state = new LineageState([started({ imported: digestOf('old'), serial: 41 }), imported]);
    expect(state.lock?.serial).toBe(41);
    expect(state.lock?.entries.get('tag.a')?.step).toBe('tag.a#3');
    expect(state.nextStep('tag.a')).toBe('tag.a#4');
  });
});

describe('the attempts of a journal', () => {
  it('gather everything that bears on them', () => {
    const attempt = foldAttempts(everyEvent()).get(STEP);
    expect(attempt).toMatchObject({
      operation: 'deploy',
      answered: { outcome: 'accepted', ids: { id: 7 } },
      evidence: [{ via: 'callback', facts: { nonce: 4 } }],
      settled: { state: 'confirmed' },
      duplicates: [{ facts: { address: '0xB' } }],
    });
    expect(foldAttempts(everyEvent()).get('tag.v1#1')?.resolved?.by).toBe('ann');
  });

  it('are open until an outcome is proven or a person decides', () => {
    const undecided = settled(STEP, {}, { state: 'undecided' });
    const verdict = { type: 'step-resolved', at: AT, step: STEP, statement: 's', by: 'ann' } as const;
    const open = (...events: readonly JournalEvent[]): boolean | undefined => {
      const attempt = foldAttempts([started(), INTENT, ...events]).get(STEP);
      return attempt && isOpen(attempt);
    };
    expect(open()).toBe(true);
    expect(open(undecided)).toBe(true);
    expect(open(undecided, { ...verdict, decision: 'absent' })).toBe(false);
    expect(open(undecided, settled(STEP, {}))).toBe(false);
    expect(open(settled(STEP, {}, { state: 'failed' }))).toBe(false);
  });

  it('are open again when a sign of an effect comes after all, unless another attempt took their place', () => {
    const failed = settled(STEP, {}, { state: 'failed' });
    const late = { type: 'step-duplicated', at: AT, step: STEP, facts: {} } as const;
    const absent = {
      type: 'step-resolved',
      at: AT,
      step: STEP,
      decision: 'absent',
      statement: 's',
      by: 'ann',
    } as const;
    const second = intended('deployment.core#2', { [TOKEN]: {} });
    const doubt = (...events: readonly JournalEvent[]): unknown => {
      const attempt = foldAttempts([started(), INTENT, ...events]).get(STEP);
      return [attempt?.contradicted, attempt && isOpen(attempt), attempt && isEffectless(attempt)];
    };
    expect(doubt(failed)).toEqual([undefined, false, true]);
    expect(doubt(failed, late)).toEqual(['reopened', true, false]);
    expect(doubt(absent, late)).toEqual(['reopened', true, false]);
    expect(doubt(failed, late, settled(STEP, {}, { state: 'undecided' }))).toEqual(['reopened', true, false]);
    expect(doubt(failed, late, settled(STEP, {}))).toEqual([undefined, false, false]);
    expect(doubt(absent, late, failed)).toEqual([undefined, false, true]);
    expect(doubt(failed, second, late)).toEqual(['duplicate', false, false]);
    expect(doubt(failed, second, late, { ...absent, decision: 'keep' })).toEqual([undefined, false, false]);
    expect(doubt(settled(STEP, {}), late)).toEqual(['duplicate', false, false]);
  });

  it('are not open once an earlier attempt turns out to have had its effect, whichever sign comes first', () => {
    const none = { state: 'failed' } as const;
    const second = intended('deployment.core#2', { [TOKEN]: {} });
    const late = (step: StepId): JournalEvent => ({ type: 'step-duplicated', at: AT, step, facts: {} });
    const proven = settled(STEP, { [TOKEN]: { address: '0x1' } });
    for (const signs of [
      [proven, late(second.step)],
      [late(second.step), proven],
    ]) {
      const both = [INTENT, settled(STEP, {}, none), second, settled(second.step, {}, none)];
      const state = new LineageState([started(), ...both, late(STEP), ...signs]);
      expect(state.attempts.get(second.step)?.contradicted).toBe('duplicate');
      expect(state.lock?.entries.get(TOKEN)?.outputs).toEqual({ address: '0x1' });
    }
  });

  it('keep the first answer', () => {
    const answer = { type: 'step-answered', at: AT, step: STEP, outcome: 'accepted' } as const;
    const events = [started(), INTENT, answer, { ...answer, outcome: 'rejected' as const }];
    expect(foldAttempts(events).get(STEP)?.answered?.outcome).toBe('accepted');
  });

  it('are found by step, by each resource that they write, and by their token', () => {
    const second = intended('deployment.core#2', { [REGISTRY]: {} });
    const state = new LineageState([started(), INTENT, second]);
    expect(state.lastAttempt('deployment.core')?.step).toBe('deployment.core#2');
    expect(state.lastAttempt(TOKEN)?.step).toBe(STEP);
    expect(state.lastAttempt(REGISTRY)?.step).toBe('deployment.core#2');
    expect(state.lastAttempt('tag.unknown')).toBeUndefined();
    expect(state.stepOfToken(second.token)).toBe('deployment.core#2');
    expect(state.nextStep('deployment.core')).toBe('deployment.core#3');
    expect(state.nextStep('tag.unknown')).toBe('tag.unknown#1');
  });

  it('follow a resource that is renamed', () => {
    const move = { type: 'resource-moved', at: AT, from: 'tag.a', to: 'tag.b' } as const;
    const state = new LineageState([
      started(),
      intended('tag.a#1', { 'tag.a': {} }),
      settled('tag.a#1', { 'tag.a': { id: '1' } }),
      move,
    ]);
    expect(state.lastAttempt('tag.b')?.step).toBe('tag.a#1');
    expect(state.lastAttempt('tag.a')).toBeUndefined();
  });
});

describe('what absence may prove something of', () => {
  const begun = (bounded: boolean): JournalEvent => ({
    type: 'run-started',
    at: AT,
    run: 'r',
    plan: digestOf('plan'),
    changeSet: digestOf('changes'),
    engine: '0.1.0',
    ...(bounded && { bounded }),
  });
  const first = intended('tag.a#1', { 'tag.a': {} });
  const second = intended('tag.b#1', { 'tag.b': {} });
  const isBounded = (...events: readonly JournalEvent[]): readonly boolean[] => {
    const state = new LineageState([started(), ...events]);
    return (['tag.a#1', 'tag.b#1'] as const).map((step) => state.isBounded(step));
  };

  it('is what was sent in bounded runs, without another run since', () => {
    expect(isBounded(begun(true), first, begun(true), second)).toEqual([true, true]);
    expect(isBounded(begun(false), first, begun(true), second)).toEqual([false, true]);
    expect(isBounded(begun(true), first, begun(false), second)).toEqual([false, false]);
    expect(isBounded(begun(true), first, begun(false), begun(true), second)).toEqual([false, true]);
    expect(isBounded(first, begun(true), second)).toEqual([false, true]);
  });
});

describe('folding', () => {
  it('gives the same state event by event as all at once', () => {
    const stepwise = new LineageState();
    for (const event of everyEvent()) stepwise.apply(event);
    expect(stepwise.lock).toEqual(projectLock(everyEvent()));
    expect(stepwise.attempts).toEqual(foldAttempts(everyEvent()));
    expect(stepwise.runs).toMatchObject([{ started: { run: 'r1' }, ended: { result: 'done' } }]);
  });

  it('gives the same lock for every order of evidence, answer and settlement', () => {
    const bearing: JournalEvent[] = [
      { type: 'step-answered', at: AT, step: STEP, outcome: 'ambiguous' },
      { type: 'step-evidenced', at: AT, step: STEP, via: 'callback', claim: 'failed', facts: {} },
      { type: 'step-evidenced', at: AT, step: STEP, via: 'read', claim: 'success', facts: {} },
      settled(STEP, { [TOKEN]: { address: '0xA' } }),
    ];
    const reference = projectLock([started(), INTENT, ...bearing]);
    fc.assert(
      fc.property(fc.shuffledSubarray(bearing, { minLength: bearing.length }), (shuffled) => {
        expect(projectLock([started(), INTENT, ...shuffled])).toEqual(reference);
      }),
    );
  });

  it('refuses events before the lineage began, a second beginning, and steps that were never intended', () => {
    for (const events of [
      [INTENT],
      [started(), started()],
      [started(), settled(STEP, {})],
      [started(), INTENT, INTENT],
    ]) {
      expect(() => projectLock(events)).toThrow(expect.objectContaining({ code: 'JOURNAL_CORRUPT' }));
    }
  });

  it('knows the open attempts at every moment without asking each', () => {
    fc.assert(
      fc.property(fc.array(ANY_EVENT, { maxLength: 20 }), (events) => {
        const state = new LineageState([started()]);
        for (const event of [...everyEvent().slice(1), ...events]) {
          folds(state, event);
          const open = [...state.attempts.values()].filter(isOpen);
          expect(new Set(state.openAttempts)).toEqual(new Set(open));
        }
      }),
    );
  });

  it('never lets the serial fall', () => {
    fc.assert(
      fc.property(fc.array(ANY_EVENT, { maxLength: 20 }), (events) => {
        const state = new LineageState([started()]);
        let serial = 0;
        for (const event of events) {
          if (!folds(state, event)) continue;
          expect(state.lock?.serial).toBeGreaterThanOrEqual(serial);
          serial = state.lock?.serial ?? 0;
        }
      }),
    );
  });
});

function folds(state: LineageState, event: JournalEvent): boolean {
  try {
    state.apply(event);
    return true;
  } catch {
    return false;
  }
}
