import { describe, expect, test } from 'vitest';
import { Claims } from '../../src/execute/claims.js';
import { knownOf, look, type Looking } from '../../src/execute/look.js';
import type { ReadAnswer } from '../../src/kinds/operation.js';
import { abilities } from '../support/builders.js';
import { ABSENT, found, UNREADABLE } from '../support/judging.js';
import { lineage } from '../support/locked.js';
import type { LineageState } from '../../src/state/project.js';

const STEP = 'category.a#1';

function looking(state: LineageState, answer: ReadAnswer): Looking {
  const service = { read: () => Promise.resolve(answer) };
  return { recorder: { state, claims: new Claims(state) }, abilities: abilities(), service };
}

function opened(): LineageState {
  return lineage({ open: { [STEP]: ['category.create', 'category.a'] } });
}

describe('a look', () => {
  test('shows absence when every read worked and none showed an effect', async () => {
    const state = opened();
    const attempt = state.attempts.get(STEP)!;
    expect(await look(attempt, true, looking(state, found([])))).toMatchObject({
      verdict: { type: 'wait' },
      absent: true,
    });
    expect((await look(attempt, true, looking(state, ABSENT))).absent).toBe(true);
    expect((await look(attempt, true, looking(state, UNREADABLE))).absent).toBe(false);
  });

  test('shows no absence where nothing can be read', async () => {
    const state = opened();
    const blind = { ...looking(state, UNREADABLE), abilities: abilities({ capabilities: [] }) };
    expect((await look(state.attempts.get(STEP)!, true, blind)).absent).toBe(false);
  });

  test('shows no absence of what was accepted or called back about', async () => {
    const accepted = opened();
    accepted.apply({ type: 'step-answered', at: '', step: STEP, outcome: 'accepted', ids: {} });
    const heard = opened();
    const facts = { status: 'success' };
    heard.apply({ type: 'step-evidenced', at: '', step: STEP, via: 'callback', claim: 'unparsed', facts });
    for (const state of [accepted, heard])
      expect((await look(state.attempts.get(STEP)!, true, looking(state, found([])))).absent).toBe(false);
  });
});

describe('the rivals of an attempt', () => {
  test('are attempts of its operation that were open while it was', () => {
    const state = lineage({
      open: {
        'category.old#1': ['category.create', 'category.old'],
        [STEP]: ['category.create', 'category.a'],
        'tag.b#1': ['tag.create', 'tag.b'],
        'category.near#1': ['category.create', 'category.near'],
      },
    });
    const settled = { type: 'step-settled', state: 'failed', grade: 'B', outputs: {} } as const;
    state.apply({ ...settled, at: '2026-02-01T00:00:00.000Z', step: 'category.old#1' });
    expect(knownOf(state.attempts.get(STEP)!, false, looking(state, ABSENT).recorder).rivals()).toEqual([
      { context: {}, open: true },
    ]);
    state.apply({ ...settled, at: '2026-04-01T00:00:00.000Z', step: 'category.near#1' });
    expect(knownOf(state.attempts.get(STEP)!, false, looking(state, ABSENT).recorder).rivals()).toEqual([
      { context: {}, open: false },
    ]);
  });
});
