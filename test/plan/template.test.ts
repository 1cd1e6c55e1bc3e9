import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitPlaceholders } from '../../src/plan/placeholder.js';
import { loadTemplates, needsGrammar, plainPieces, type TemplatePiece } from '../../src/plan/template.js';

const part = fc.constantFrom(
  '{{a}}',
  '{{ vars.cohort }}',
  '{{a-b}}',
  '{{_x1}}',
  '{{vars.a.b}}',
  '{{[Full Name]}}',
  '{{{a}}}',
  '\\{{a}}',
  '\\\\{{a}}',
  '{{~a~}}',
  '{{! note}}',
  '{{#if a}}',
  '{{true}}',
  '{{this}}',
  '{{.}}',
  '{{../a}}',
  '{{@index}}',
  '{{> p}}',
  '{{a b}}',
  '{{&a}}',
  '{{5}}',
  '{{else}}',
  '{{as}}',
  '{',
  '}',
  ' ',
  '\n',
  'text',
  '<A_ADDRESS>',
  '\\',
  '{{',
  '}}',
);
const texts = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

/** Texts next to one another are one text. */
function joined(pieces: readonly TemplatePiece[]): readonly TemplatePiece[] {
  const result: TemplatePiece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else if (piece !== '') result.push(piece);
  }
  return result;
}

describe('templates', () => {
  test('of the plain form mean what Handlebars says they mean', async () => {
    const read = await loadTemplates();
    fc.assert(
      fc.property(texts, (text) => {
        const plain = plainPieces(text);
        if (plain === undefined) return;
        const reading = read(text);
        expect(reading.ok).toBe(true);
        if (reading.ok) expect(joined(plain)).toEqual(joined(reading.pieces));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '{{#if a}}x{{/if}}',
    '{{lookup a "b"}}',
    '{{> p}}',
    '{{@root}}',
    '{{../a}}',
    '{{this}}',
    '{{a b=1}}',
    '{{#> p}}{{/p}}',
    '{{* d}}',
  ])('that could run something are refused: %s', async (text) => {
    expect((await loadTemplates())(text)).toMatchObject({ ok: false });
  });

  test('take text only: a map that poses as a parsed template is refused', async () => {
    const read = (await loadTemplates()) as (text: unknown) => unknown;
    expect(read({ type: 'Program', body: [] })).toMatchObject({ ok: false });
  });

  test('with names of several words use brackets', async () => {
    expect((await loadTemplates())('Hi {{[Full Name]}}!')).toEqual({
      ok: true,
      pieces: ['Hi ', { type: 'column', name: 'Full Name', source: '{{[Full Name]}}' }, '!'],
    });
    expect(needsGrammar('Hi {{name}}')).toBe(false);
  });
});

describe('placeholders', () => {
  test('are found in both spellings, qualified or not, and never inside templates', () => {
    const text =
      'a <T_ADDRESS> {T_ADDRESS} <core.My-T_ADDRESS> {{T_ADDRESS}} {{{T_ADDRESS}}} <T_ADDR> {T} <_ADDRESS>';
    expect(splitPlaceholders(text).flatMap((piece) => (piece.type === 'placeholder' ? [piece] : []))).toEqual(
      [
        { type: 'placeholder', text: '<T_ADDRESS>', name: 'T' },
        { type: 'placeholder', text: '{T_ADDRESS}', name: 'T' },
        { type: 'placeholder', text: '<core.My-T_ADDRESS>', name: 'My-T', qualifier: 'core' },
      ],
    );
  });

  test('and the text around them together are the whole text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(
          splitPlaceholders(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});
