import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { checkMetadata, keyOfMetadata, plainMetadata, wrapMetadata } from '../../src/kinds/envelope.js';

const METADATA = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const KEY = 'aaaabbbbccccdddd';

describe('wrapped metadata', () => {
  test('is intact as it was wrapped, and tells its step', () => {
    fc.assert(
      fc.property(METADATA, (metadata) => {
        const text = wrapMetadata(metadata, KEY);
        expect(checkMetadata(text)).toBe('intact');
        expect(keyOfMetadata(text)).toBe(KEY);
        expect(JSON.parse(text)).toMatchObject({ v: metadata });
      }),
    );
  });

  test('is never intact when any character of it was changed', () => {
    fc.assert(
      fc.property(
        METADATA,
        fc.nat(),
        fc.constantFrom('x', '0', '"', ' ', '}', 'é'),
        (metadata, at, other) => {
          const text = wrapMetadata(metadata, KEY);
          const index = at % text.length;
          fc.pre(text[index] !== other);
          const changed = text.slice(0, index) + other + text.slice(index + 1);
          expect(checkMetadata(changed)).not.toBe('intact');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is never intact when something was added, left out or written differently', () => {
    const text = wrapMetadata({ a: 1 }, KEY);
    for (const changed of [
      `${text} `,
      text.slice(0, -1),
      text.replace('"a":1', '"a":1.0'),
      text.replace('{"d"', '{ "d"'),
    ])
      expect(checkMetadata(changed)).not.toBe('intact');
  });

  test('has its digest within the 72 bytes that bcrypt reads, ending at byte 50', () => {
    fc.assert(
      fc.property(METADATA, (metadata) => {
        const text = wrapMetadata(metadata, KEY);
        expect(text.slice(0, 50)).toMatch(/^\{"d":"[\w-]{43}"$/);
        const other = wrapMetadata([metadata], KEY);
        expect(Buffer.from(other).subarray(0, 50)).not.toEqual(Buffer.from(text).subarray(0, 50));
      }),
    );
  });

  test('is told from metadata that has no envelope', () => {
    expect(checkMetadata('plain text')).toBe('plain');
    expect(checkMetadata(plainMetadata({ k: 'x', v: 1 }))).toBe('plain');
    expect(checkMetadata('{"d":"not json')).toBe('altered');
    expect(keyOfMetadata('plain text')).toBeUndefined();
  });
});

describe('plain metadata', () => {
  test('is a string as written, and anything else as canonical JSON', () => {
    expect(plainMetadata(' as written ')).toBe(' as written ');
    expect(plainMetadata({ b: 1, a: [true, null] })).toBe('{"a":[true,null],"b":1}');
  });
});
