import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHtml, escapeMarkdown, escapeTerminal, shorten } from '../../src/report/escape.js';
import { cellsOf, fitCells, fitCellsEnd } from '../../src/report/width.js';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('</script><b>', '`|x|`', '\u001b]0;x\u0007', '\u202Eabc', '@team #1', '\uD800'),
);

describe('untrusted text', () => {
  it('is printed without control, bidirectional or line characters', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(escapeTerminal(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('stays as it is when it is ordinary, whatever its script', () => {
    for (const text of ['Alice Tan', '学位証書', 'Zoë', 'שלום', '🎓'])
      expect(escapeTerminal(text)).toBe(text);
  });

  it('opens no element and closes no attribute in HTML', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]/);
      }),
    );
  });

  it('is no markup, cell border, mention or link in Markdown', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(escapeMarkdown(text).replace(/&#\d+;/g, '')).not.toMatch(/[<>|`*_[\]@#\\!]/);
      }),
    );
  });
});

describe('cut text', () => {
  it('is never longer than asked, in units and in cells', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        expect(shorten(text, limit).length).toBeLessThanOrEqual(limit);
        expect(cellsOf(fitCells(text, limit))).toBeLessThanOrEqual(limit);
        expect(cellsOf(fitCellsEnd(text, limit))).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('counts two cells for wide characters, one for others, none for marks', () => {
    expect(['a', '学', '🎓', 'e\u0301', '👩‍🎓'].map(cellsOf)).toEqual([1, 2, 2, 1, 2]);
  });
});
