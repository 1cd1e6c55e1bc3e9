import { describe, expect, it } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import { artifactFor, sourcesToRead } from '../../src/kinds/artifact-choice.js';
import type { CompiledContract } from '../../src/kinds/constructor.js';
import type { ReadAnswer } from '../../src/kinds/operation.js';

const one = (artifactId: number, sourceUrl: string, name = 'Twin'): CompiledContract => ({
  artifactId,
  name,
  abi: [],
  bytecode: '0x01',
  sourceUrl,
});
const A = 'https://s.example/files/1/src_a_T.sol';
const B = 'https://s.example/files/2/src_b_T.sol?x=1';
const TWINS = [one(1, A), one(2, B), one(3, 'https://s.example/files/3/Other.sol', 'Other')];

const source = (path: string, filename: string) => ({ path, filename, digest: digestOfBytes(path) });
const file = (text: string): ReadAnswer => ({
  type: 'found',
  value: { digest: digestOfBytes(text) },
  source: 'read',
});
const UNREADABLE: ReadAnswer = { type: 'unreadable', message: 'the file is at elsewhere' };
const wanted = { contract: 'Twin', source: source('src/b/T.sol', 'src_b_T.sol') };

/** The id of what is chosen, or `none`. */
function chosen(
  artifacts: readonly CompiledContract[],
  texts: Readonly<Record<string, ReadAnswer>> = {},
  want: Parameters<typeof artifactFor>[0] = wanted,
): number | 'none' {
  const found = artifactFor(want, artifacts, new Map(Object.entries(texts)));
  return typeof found === 'string' ? 'none' : found.artifactId;
}

describe('the artifact of a contract', () => {
  it('is the only one of its name, for which no source is read', () => {
    expect(sourcesToRead([{ contract: 'Other' }], TWINS)).toEqual([]);
    expect(chosen(TWINS, {}, { contract: 'Other' })).toBe(3);
    expect(chosen(TWINS, {}, { contract: 'Missing' })).toBe('none');
  });

  it('is never the first of several', () => {
    expect(chosen(TWINS, { [A]: file('a'), [B]: file('b') }, { contract: 'Twin' })).toBe('none');
  });

  it('is the one whose source has the text that was sent, however the files are named', () => {
    const renamed = [one(1, 'https://s.example/x'), one(2, 'https://s.example/y')];
    expect(sourcesToRead([wanted], renamed)).toEqual(['https://s.example/x', 'https://s.example/y']);
    const texts = { 'https://s.example/x': file('src/b/T.sol'), 'https://s.example/y': file('src/a/T.sol') };
    expect(chosen(renamed, texts)).toBe(1);
  });

  it('is told by its file name where the text cannot be read, or is that of several', () => {
    expect(chosen(TWINS, { [A]: UNREADABLE, [B]: UNREADABLE })).toBe(2);
    expect(chosen(TWINS, { [A]: file('src/b/T.sol'), [B]: file('src/b/T.sol') })).toBe(2);
    expect(chosen(TWINS, { [A]: file('other'), [B]: file('other') })).toBe(2);
  });

  it('is refused where neither text nor name tells it, also when the service kept one of two', () => {
    const unnamed = [one(1, ''), one(2, '')];
    expect(chosen(unnamed)).toBe('none');
    expect(chosen([one(1, A)], { [A]: file('src/a/T.sol') })).toBe('none');
    expect(chosen([one(1, B)], { [B]: file('src/b/T.sol') })).toBe(1);
    const same = [one(1, 'https://s.example/1/src_b_T.sol'), one(2, 'https://s.example/2/src_b_T.sol')];
    expect(chosen(same)).toBe('none');
  });
});
