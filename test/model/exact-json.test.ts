import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { inexactnesses, isLoss } from '../../src/model/exact-json.js';

const faults = (text: string): readonly string[] =>
  inexactnesses(text).map(({ path, fault }) => `${path} ${fault}`);

describe('what parsing a JSON text and writing it again would change', () => {
  test('is told with its place', () => {
    expect(faults('{"a":[1,{"total":12345678901234567890}]}')).toEqual(['a.1.total number']);
    expect(faults('{"a":1,"b":2,"\\u0061":3}')).toEqual(['a twice']);
    expect(faults('[1.0,1e3,-0,1E-7]')).toEqual(['0 spelling', '1 spelling', '2 spelling', '3 spelling']);
    expect(faults('{"b":1,"7":2,"10":3,"9":4}')).toEqual(['7 order', '9 order']);
    expect(faults('12345678901234567890')).toEqual([' number']);
  });

  test.each(['1e400', '-1e999999999', '9007199254740993', '0.1000000000000000055511151231257827', '1e-400'])(
    'is the number %s itself',
    (text) => {
      expect(inexactnesses(text).map(isLoss)).toEqual([true]);
    },
  );

  test.each([
    '9007199254740992',
    '0.1',
    '1e+21',
    '-5',
    '0',
    '[]',
    '{"1":0,"2":0,"a":0,"4294967295":0}',
    '"1.0 {"',
  ])('is nothing in %s', (text) => {
    expect(inexactnesses(text)).toEqual([]);
  });

  test('is found in a text without end in no time, however it is made', () => {
    for (const text of [`[${'1,'.repeat(300_000)}1]`, `1e${'9'.repeat(1_000_000)}`, '['.repeat(500_000)])
      expect(inexactnesses(text).length).toBeLessThan(21);
  });

  const number = fc.oneof(
    fc.constantFrom(
      '0',
      '-0',
      '1.0',
      '10',
      '1e3',
      '123456789012345678901',
      '0.5',
      '-7',
      '1E2',
      '100000000000000000000',
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.bigInt().map(String),
  );
  const name = fc.constantFrom('a', 'b', '1', '2', '10', '01', '__proto__x');
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      number,
      fc.constantFrom('true', 'null', '"1.0"', '"{}[],:"'),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(fc.tuple(name, tie('value')), { maxLength: 4 })
        .map((members) => `{${members.map(([key, item]) => `"${key}":${item}`).join(',')}}`),
    ),
  }));

  test('is nothing exactly where the text comes out again', () => {
    fc.assert(
      fc.property(value, (text) => {
        const again = JSON.stringify(JSON.parse(text));
        expect(inexactnesses(text).length === 0).toBe(again === text);
        expect(inexactnesses(again)).toEqual([]);
      }),
    );
  });
});
