import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, hunksOf, type DiffLine } from '../../src/report/text-diff.js';

const SIGNS = { same: ' ', gone: '-', new: '+' } as const;

function written(lines: readonly DiffLine[]): string {
  return lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`).join('\n');
}

function side(lines: readonly DiffLine[], without: DiffLine['kind']): readonly string[] {
  return lines.filter(({ kind }) => kind !== without).map(({ text }) => text);
}

/** Length of a longest common subsequence, by the book. */
function common(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      rows[i]![j] =
        a[i - 1] === b[j - 1] ? rows[i - 1]![j - 1]! + 1 : Math.max(rows[i - 1]![j]!, rows[i]![j - 1]!);
  return rows[a.length]![b.length]!;
}

const anyLines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 25 });

describe('a difference of two texts', () => {
  it('holds both texts, in order, and no more edits than there must be', () => {
    fc.assert(
      fc.property(anyLines, anyLines, (old, fresh) => {
        const lines = diffLines(`${old.join('\n')}\n`, `${fresh.join('\n')}\n`);
        const both = (texts: readonly string[]) => (texts.length === 0 ? [''] : texts);
        expect(both(side(lines, 'new'))).toEqual(both(old));
        expect(both(side(lines, 'gone'))).toEqual(both(fresh));
        const kept = lines.filter(({ kind }) => kind === 'same').length;
        if (old.length > 0 && fresh.length > 0) expect(kept).toBe(common(old, fresh));
      }),
    );
  });

  it('takes no notice of line ends', () => {
    expect(diffLines('a\r\nb\r\n', 'a\nb').every(({ kind }) => kind === 'same')).toBe(true);
  });

  it('numbers the lines of each side', () => {
    expect(diffLines('a\nb\nc', 'a\nx\nc')).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'gone', text: 'b', before: 2 },
      { kind: 'new', text: 'x', after: 2 },
      { kind: 'same', text: 'c', before: 3, after: 3 },
    ]);
  });

  it('shows changed places with the lines around them, and joins those that touch', () => {
    const old = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const fresh = old.map((text, index) => ([5, 8, 30].includes(index) ? `${text}!` : text));
    const hunks = hunksOf(diffLines(old.join('\n'), fresh.join('\n')));
    expect(hunks.map((hunk) => [hunk[0]?.text, hunk.at(-1)?.text])).toEqual([
      ['line 2', 'line 11'],
      ['line 27', 'line 33'],
    ]);
    expect(written(hunks[1]!)).toContain('-line 30\n+line 30!');
    expect(hunksOf(diffLines('same', 'same'))).toEqual([]);
  });

  it('counts texts that have little in common as replaced', () => {
    const text = (word: string) => Array.from({ length: 4000 }, (_, index) => `${word} ${index}`).join('\n');
    const lines = diffLines(text('old'), text('new'));
    expect(lines).toHaveLength(8000);
    expect(lines[3999]?.kind).toBe('gone');
    expect(lines[4000]?.kind).toBe('new');
  });
});
