import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../src/model/address.js';
import { plainValue } from '../../src/plan/node.js';
import { parsePlan } from '../../src/plan/parse.js';
import { collectProblems } from '../../src/plan/problems.js';

function parse(text: string): { readonly value: unknown; readonly codes: readonly string[] } {
  const problems = collectProblems('windlass.yaml', text);
  const node = parsePlan(text, problems);
  return { value: node && plainValue(node), codes: problems.all().map(({ code }) => code) };
}

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0123456789abcdefABCDEF'.split('')), { minLength: length, maxLength: length })
    .map((all) => all.join(''));
const digits = fc
  .array(fc.constantFrom(...'0123456789'.split('')), { minLength: 1, maxLength: 80 })
  .map((all) => all.join(''));

describe('scalars', () => {
  test('addresses and hashes survive unquoted', () => {
    fc.assert(
      fc.property(fc.oneof(hex(40), hex(64)), (text) => {
        expect(parse(`a: 0x${text}`)).toEqual({ value: { a: `0x${text}` }, codes: [] });
      }),
    );
  });

  test('digits of any length lose nothing: only integers that stay exact become numbers', () => {
    fc.assert(
      fc.property(fc.boolean(), digits, (isNegative, text) => {
        const written = `${isNegative ? '-' : ''}${text}`;
        const { a } = parse(`a: ${written}`).value as { a: string | number };
        expect(String(a)).toBe(written);
        expect(typeof a).toBe(
          /^-?(0|[1-9]\d{0,14})$/.test(written) && written !== '-0' ? 'number' : 'string',
        );
      }),
    );
  });

  test.each([
    '007',
    '1.10',
    '1e5',
    '0o17',
    '0x1F',
    '1_000',
    '.5',
    'yes',
    'no',
    'on',
    '2026-01-01',
    'NaN',
    '.inf',
    '-0',
  ])('%s is text', (text) => {
    expect(parse(`a: ${text}`)).toEqual({ value: { a: text }, codes: [] });
  });

  test('true, false, null and nothing are what they say; quoted they are text', () => {
    const text = 'a: [true, false, null, ~, "true", \'null\', "12"]\nb:\n';
    expect(parse(text)).toEqual({
      value: { a: [true, false, null, null, 'true', 'null', '12'], b: null },
      codes: [],
    });
  });
});

describe('hostile text', () => {
  test('a bomb of aliases is refused without being unfolded', () => {
    const lines = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}]`);
    const { codes } = parse(['l0: &l0 x', ...lines].join('\n'));
    expect(codes.length).toBe(10 + 81);
    expect(new Set(codes)).toEqual(new Set(['PLAN_FORBIDDEN_YAML']));
  });

  test.each([
    ['flow lists', `a: ${'['.repeat(20_000)}`],
    ['flow maps', `a: ${'{b: '.repeat(20_000)}`],
    ['lists on one line', `${'- '.repeat(20_000)}a`],
    ['keys on one line', `${'? '.repeat(20_000)}a`],
    ['maps line by line', Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}k:`).join('\n')],
  ])('nesting without end is refused: %s', (_, text) => {
    expect(parse(text).codes).toEqual(['PLAN_TOO_LARGE']);
  });

  test('a plan beyond 256 kB is refused unread', () => {
    expect(parse(`a: ${'x'.repeat(256 * 1024)}`)).toEqual({ value: undefined, codes: ['PLAN_TOO_LARGE'] });
  });

  test('keys that reach prototypes are refused wherever they stand, and reach none', () => {
    const { value, codes } = parse(
      '__proto__: { polluted: yes }\na: [{ constructor: 1, "prototype": 2, ok: 3 }]',
    );
    expect(codes).toEqual(['PLAN_RESERVED_KEY', 'PLAN_RESERVED_KEY', 'PLAN_RESERVED_KEY']);
    expect(value).toEqual({ a: [{ ok: 3 }] });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([
    ['two documents', 'a: 1\n---\nb: 2'],
    ['tabs for indentation', 'a:\n\t- b'],
    ['an open quote', 'a: "b'],
    ['text after a value', 'a: "b" c'],
  ])('%s is no plan', (_, text) => {
    const { codes } = parse(text);
    expect(codes.length).toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set(['PLAN_SYNTAX']));
  });

  test('a character that was lost in a conversion is refused where it stands', () => {
    expect(parse('windlass: 1\nname: M\uFFFDller\n').codes).toEqual(['PLAN_SYNTAX']);
    for (const escape of ['\\ud800', '\\0', '\\udc00\\ud800'])
      expect(parse(`windlass: 1\nname: "a${escape}"\n`).codes).toEqual(['PLAN_SYNTAX']);
  });

  test('a second document is refused', () => {
    expect(parse('windlass: 1\n---\nwindlass: 1\n').codes).toEqual(['PLAN_SYNTAX']);
  });

  test('nothing that is text makes the reader throw', () => {
    const yaml = fc.string({
      unit: fc.constantFrom(...'ab:{}[]-?&*!<>"\'#|, \n\t%@`'.split('')),
      maxLength: 60,
    });
    fc.assert(
      fc.property(yaml, (text) => {
        expect(Array.isArray(parse(text).codes)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test('an address is good in lower, upper and checksum case, and comes out in checksum case', () => {
  fc.assert(
    fc.property(hex(40), (text) => {
      const lower = readAddress(`0x${text.toLowerCase()}`);
      const upper = readAddress(`0x${text.toUpperCase()}`);
      if (!lower.ok) throw new Error(lower.reason);
      expect(upper).toEqual(lower);
      expect(readAddress(lower.address)).toEqual(lower);
      const mixed = readAddress(`0x${text}`);
      const isOneCase = text === text.toLowerCase() || text === text.toUpperCase();
      expect(mixed.ok).toBe(isOneCase || `0x${text}` === lower.address);
    }),
  );
});
