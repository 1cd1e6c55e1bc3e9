import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.js';
import {
  checkMetadata,
  keyOfMetadata,
  metadataChange,
  plainMetadata,
  wrapMetadata,
} from '../../src/kinds/envelope.js';

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

describe('metadata that a read shows', () => {
  test('is as it was written, however its JSON is laid out', () => {
    fc.assert(
      fc.property(METADATA, (metadata) => {
        const text = wrapMetadata(metadata, KEY);
        expect(metadataChange(metadata, 'digest', text)).toBeUndefined();
        expect(metadataChange(metadata, 'digest', JSON.stringify(JSON.parse(text), null, 2))).toBeUndefined();
        expect(metadataChange(metadata, 'none', plainMetadata(metadata))).toBeUndefined();
      }),
    );
  });

  test('differs when any byte of it was changed', () => {
    const written = { release: '1.0.0', note: 'x'.repeat(200) };
    const text = wrapMetadata(written, KEY);
    for (let index = 0; index < text.length; index += 1) {
      const other = text[index] === '7' ? '8' : '7';
      const changed = text.slice(0, index) + other + text.slice(index + 1);
      expect(metadataChange(written, 'digest', changed)).toBeDefined();
    }
  });

  test('differs in a number that is too long to be read exactly', () => {
    const [sent, shown] = ['{"n":12345678901234567890}', '{"n":12345678901234567000}'];
    expect(metadataChange(sent, 'none', shown)).toBeDefined();
    expect(metadataChange(sent, 'none', sent)).toBeUndefined();
    expect(metadataChange({ n: 1 }, 'none', '{"n":1,"n":1}')).toBeDefined();
  });

  test('is told to differ where the hash of the service would have missed it', () => {
    const written = { note: `${'x'.repeat(100)}a` };
    const changed = wrapMetadata(written, KEY).replace('xa"', 'xb"');
    const change = metadataChange(written, 'digest', changed);
    expect(change?.shown).toEqual({ note: `${'x'.repeat(100)}b` });
    expect(change?.note).toContain('would have missed it; it contradicts its own digest');
    expect(metadataChange('plain', 'none', 'plaIn')?.note).toContain('byte 4 on');
    expect(metadataChange('plain', 'none', 'plaIn')?.note).not.toContain('missed');
  });
});
