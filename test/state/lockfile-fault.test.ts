import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../src/state/lockfile-fault.js';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const document = fc.json({ maxDepth: 4 });

describe('the place of a fault', () => {
  it('is told for what a parser refuses, and for no sound text', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 0, max: 3 }), (text, indent) => {
        const sound = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(jsonFault(sound)).toBeUndefined();
      }),
    );
  });

  it('agrees with the parser about any text that was cut or changed', () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.boolean(),
      put: fc.constantFrom('', ',', '}', '"', 'x', ':', '\n', '\u0001', '01', '['),
    });
    fc.assert(
      fc.property(document, edit, (text, { at, cut, put }) => {
        const place = at % (text.length + 1);
        const edited = cut ? text.slice(0, place) : text.slice(0, place) + put + text.slice(place);
        const fault = jsonFault(edited);
        if (!parses(edited)) expect(fault?.line).toBeGreaterThan(0);
        else if (fault !== undefined) expect(fault.message).toContain('twice');
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{\n  "a": 1,\n  "b": {\n    "c": 2\n', 4, 'cut short'],
    ['{\n  "a": "x', 2, 'cut short'],
    ['', 1, 'cut short'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 'not JSON'],
    ['{\n  "a": 1,\n}', 3, 'not JSON'],
    ['{\n  "a": 1,\n  "b": { "c": 1,\n "c": 2 }\n}', 4, '"c" stands there twice'],
    ['{\n  "a": 1,\n  "\\u0061": 2\n}', 3, 'twice'],
    ['{}\n{}', 2, 'not JSON'],
  ])('%j: line %i, %s', (text, line, why) => {
    const fault = jsonFault(text);
    expect(fault?.line).toBe(line);
    expect(fault?.message).toContain(why);
  });

  it('needs no deep stack', () => {
    expect(jsonFault('['.repeat(200_000))?.message).toContain('cut short');
    expect(jsonFault(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
  });
});
