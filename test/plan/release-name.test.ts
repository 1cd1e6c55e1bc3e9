import { expect, test } from 'vitest';
import { releaseName } from '../../src/plan/release-name.js';

test('the name of a plan is found, whatever is wrong with the rest', () => {
  expect(releaseName('windlass: 1\nname: campus-release\nnonsense: 3\n')).toBe('campus-release');
  expect(releaseName('name: 2026.10\n')).toBe('2026.10');
});

test('a plan without a name, or that cannot be read, has none', () => {
  for (const text of ['windlass: 1\n', 'name: \n', 'name: [a]\n', 'name: ""\n', '- a list', 'a: [\n'])
    expect(releaseName(text)).toBeUndefined();
});
