import { expect, test } from 'vitest';
import { stateChoice } from '../../src/plan/state-choice.js';

const plan = (state: string): string =>
  `windlass: 1\nenvironments:\n  test: { state: ${state} }\nnonsense: [\n`;

test.each([
  ['git', { remote: 'origin' }],
  ['{ git: {} }', { remote: 'origin' }],
  ['{ git: { remote: upstream, name: campus } }', { remote: 'upstream', name: 'campus' }],
  ['local', undefined],
])('the state of an environment with `state: %s` is found', (state, found) => {
  expect(stateChoice(plan(state).replace('nonsense: [\n', 'unknown: key\n'), 'test')).toEqual(found);
  expect(stateChoice(plan(state).replace('nonsense: [\n', ''), 'other')).toBeUndefined();
});

test('nobody guesses where the state lives when the plan cannot be read', () => {
  expect(stateChoice('- a list', 'test')).toBe('unreadable');
  expect(stateChoice('a: 1\n'.repeat(100_000), 'test')).toBe('unreadable');
});
