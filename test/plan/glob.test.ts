import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/plan/glob.js';

const MEANINGS: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

/** What a pattern means, as an expression of the platform; it goes back and forth without end on large inputs. */
function reference(pattern: string): RegExp {
  let choices = 0;
  const parts = Array.from(pattern.matchAll(/\*\*\/|\*\*|[^]/gu), ({ 0: sign, index }) => {
    if (sign === '{' && pattern.includes('}', index)) {
      choices += 1;
      return '(?:';
    }
    if (choices > 0 && sign === ',') return '|';
    if (choices > 0 && sign === '}') {
      choices -= 1;
      return ')';
    }
    return MEANINGS[sign] ?? sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  return new RegExp(`^${parts.join('')}${')'.repeat(choices)}$`, 'su');
}

const letters = (of: string, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...of.split('')), maxLength });

describe('a pattern', () => {
  test('matches what its meaning says, for all small patterns and paths', () => {
    fc.assert(
      fc.property(letters('ab/*?{},[.', 9), letters('ab/,.{', 8), (pattern, path) => {
        expect(compileGlob(pattern).matches(path), `${pattern} on ${path}`).toBe(
          reference(pattern).test(path),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('is followed piece by piece as it is as a whole', () => {
    fc.assert(
      fc.property(letters('ab/*{},', 9), letters('ab/', 4), letters('ab/', 4), (pattern, first, second) => {
        const glob = compileGlob(pattern);
        const halves = glob.step(glob.step(glob.start, first), second);
        expect(glob.accepts(halves)).toBe(glob.matches(first + second));
      }),
    );
  });

  test.each([
    ['contracts/**/*.sol', 'contracts/a/b/C.sol', true],
    ['contracts/**/*.sol', 'contracts/C.sol', true],
    ['contracts/*.sol', 'contracts/a/C.sol', false],
    ['{a,b}/{c,d{e,f}}.sol', 'b/df.sol', true],
    ['a[b].sol', 'a[b].sol', true],
    ['?.sol', '😀.sol', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(compileGlob(pattern).matches(path)).toBe(expected);
  });

  test('holds no more states than its length allows, whatever the path: the work is bounded', () => {
    for (const pattern of [
      '**/'.repeat(80),
      '*a'.repeat(120),
      '{a,'.repeat(60) + '}'.repeat(60),
      '**'.repeat(120),
    ]) {
      const glob = compileGlob(`${pattern}x`);
      const states = glob.step(glob.start, 'a/a'.repeat(2000));
      expect(states.length).toBeLessThan(5 * 256);
      expect(glob.accepts(states)).toBe(false);
    }
  });
});
