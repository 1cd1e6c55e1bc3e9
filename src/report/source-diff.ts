import { escapeTerminal } from './escape.js';
import { counted } from './palette.js';
import type { SourcePair, VersionSources } from './page-material.js';
import { diffLines, hunkHead, hunksOf } from './text-diff.js';

const MARKS = { same: ' ', gone: '-', new: '+' } as const;

/**
 * The source difference of a version as `diff -u` writes it, line by line, escaped. Empty when there is nothing that it
 * could be compared with, or nothing differs.
 *
 * @param most lines; the rest is counted in a last one
 */
export function sourceDiffLines({ base, missing, files }: VersionSources, most: number): readonly string[] {
  if (base === undefined || missing !== undefined) return [];
  const lines = files.flatMap(fileLines);
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `… ${counted(rest, 'more line')}`] : lines;
}

function fileLines({ filename, before, after }: SourcePair): readonly string[] {
  if (before === after) return [];
  const name = escapeTerminal(filename);
  return [
    `--- ${before === undefined ? '/dev/null' : name}`,
    `+++ ${after === undefined ? '/dev/null' : name}`,
    ...hunksOf(diffLines(before ?? '', after ?? '')).flatMap((hunk) => [
      hunkHead(hunk),
      ...hunk.map(({ kind, text }) => `${MARKS[kind]}${escapeTerminal(text.replaceAll('\t', '    '))}`),
    ]),
  ];
}
