import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { canonicalJson, digestOf, digestOfBytes, isSameJson } from '../../src/model/canonical.js';
import type { Json } from '../../src/model/json.js';

/** Characters that JSON escapes, that sort apart by code unit and code point, and halves of pairs. */
const UNIT = fc.constantFrom(
  'a',
  'B',
  '1',
  '"',
  '\\',
  '\n',
  '\u2028',
  '€',
  '😀',
  '\uffff',
  '\ud800',
  '\udc00',
);

const json = (): fc.Arbitrary<Json> => fc.jsonValue({ stringUnit: UNIT, maxDepth: 4 }) as fc.Arbitrary<Json>;

/** The same value with the members of all objects the other way round. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(members.reverse().map(([key, item]) => [key, turned(item)]));
}

describe('the canonical text of a JSON value', () => {
  test('is JSON of that value', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('does not depend on the order of members', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
        expect(digestOf(turned(value))).toBe(digestOf(value));
      }),
    );
  });

  test('is the same exactly when the values are', () => {
    fc.assert(
      fc.property(json(), json(), (one, other) => {
        expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
        expect(isSameJson(one, turned(one))).toBe(true);
      }),
    );
  });

  test('sorts members by code unit, however many there are, and writes no white space', () => {
    expect(canonicalJson({ b: 1, a: [true, null], B: { '€': 1, '\r': 2, '😀': 3, '1': 4 } })).toBe(
      '{"B":{"\\r":2,"1":4,"€":1,"😀":3},"a":[true,null],"b":1}',
    );
    const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
    const many = Object.fromEntries(names.toReversed().map((name) => [name, name]));
    expect(Object.keys(JSON.parse(canonicalJson(many)) as object)).toEqual(names.toSorted());
  });

  test('keeps a member called __proto__, which is data like any other', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"a":1}') as Json;
    expect(canonicalJson(hostile)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect(isSameJson(hostile, { a: 1 })).toBe(false);
    expect(isSameJson({ a: 1 }, hostile)).toBe(false);
  });
});

test('a digest is SHA-256 over the UTF-8 bytes, named as such', () => {
  expect(digestOfBytes('abc')).toBe(
    'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  expect(digestOfBytes(Buffer.from('é'))).toBe(digestOfBytes('é'));
  expect(digestOf('abc')).toBe(digestOfBytes('"abc"'));
});
