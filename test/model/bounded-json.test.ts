import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nestsDeeper, parseBoundedJson } from '../../src/model/bounded-json.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((most: number, item) => Math.max(most, depthOf(item)), 0);
}

describe('JSON from outside', () => {
  test('is what the platform makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('has the depth that its value has, whatever its strings hold', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', 'a') });
    const nested = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, text, fc.array(tie('value')), fc.dictionary(text, tie('value'))),
    })).value;
    fc.assert(
      fc.property(nested, (value) => {
        const depth = depthOf(value);
        expect(nestsDeeper(JSON.stringify(value), depth)).toBe(false);
        if (depth > 0) expect(nestsDeeper(JSON.stringify(value), depth - 1)).toBe(true);
      }),
    );
  });

  test.each(['['.repeat(1_000_000), `${'['.repeat(300)}${']'.repeat(300)}`, '{"a":'.repeat(400)])(
    'is refused before anything is made of it when it nests without end',
    (text) => {
      expect(() => parseBoundedJson(text)).toThrow(SyntaxError);
    },
  );
});
