import { sortDiagnostics, type Diagnostic } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import { concealedLine } from './concealment.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf, type Palette } from './palette.js';
import { cellsOf, fitCells, fitCellsEnd } from './width.js';

/** Cells of an excerpt; longer lines are cut around the marked place. */
const EXCERPT_CELLS = 100;

/** Longest line that an excerpt is made of, in UTF-16 units: nobody reads more, and masking looks at all of it. */
const MAX_LINE = 2000;

/** Text of the files that diagnostics point into, by the diagnostic's `file`. A missing one has no excerpt. */
export type SourceTexts = ReadonlyMap<string, string>;

/**
 * Diagnostics for people: place, code, reason, excerpt with underline, fix; then the count.
 * Reading order, the same one once. Everything that came from a file is escaped.
 */
export function diagnosticsText(
  diagnostics: readonly Diagnostic[],
  sources: SourceTexts,
  options: { readonly colour: boolean },
): string {
  const palette = paletteOf(options.colour);
  const sorted = sortDiagnostics(diagnostics);
  const lines = linesOf(sources);
  const blocks = sorted.map((diagnostic) => blockText(diagnostic, lines, palette));
  return [...blocks, countText(sorted)].join('\n\n');
}

/** `2 errors, 1 warning`; `no mistakes` when there are none. */
export function countText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return parts.length === 0 ? 'no mistakes' : parts.join(', ');
}

/** The document of `--format json` (design §3): lines and columns from 1, columns in UTF-16 units, `end` exclusive. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): Json {
  return {
    diagnostics: sortDiagnostics(diagnostics).map((diagnostic) => ({
      code: diagnostic.code,
      severity: diagnostic.severity,
      message: diagnostic.message,
      file: diagnostic.file,
      range: { start: { ...diagnostic.range.start }, end: { ...diagnostic.range.end } },
      ...(diagnostic.fix !== undefined && { fix: diagnostic.fix }),
    })),
  };
}

/** The lines of the files, each file taken apart once. */
type SourceLines = (file: string) => readonly string[];

function linesOf(sources: SourceTexts): SourceLines {
  const known = new Map<string, readonly string[]>();
  return (file) => {
    const lines = known.get(file) ?? sources.get(file)?.split(/\r\n|\n|\r/) ?? [];
    known.set(file, lines);
    return lines;
  };
}

function blockText(diagnostic: Diagnostic, sources: SourceLines, palette: Palette): string {
  const { start } = diagnostic.range;
  const paint = diagnostic.severity === 'error' ? palette.bad : palette.change;
  const place = `${escapeTerminal(diagnostic.file)}:${start.line}:${start.column}`;
  const lines = [
    `${palette.strong(place)}: ${paint(`${diagnostic.severity} ${diagnostic.code}`)}: ${escapeTerminal(diagnostic.message)}`,
    ...excerptLines(diagnostic, sources(diagnostic.file), paint),
  ];
  if (diagnostic.fix !== undefined)
    lines.push(`  ${palette.accent('fix:')} ${escapeTerminal(diagnostic.fix)}`);
  return lines.join('\n');
}

function excerptLines(
  diagnostic: Diagnostic,
  source: readonly string[],
  paint: (text: string) => string,
): readonly string[] {
  const { start, end } = diagnostic.range;
  const line = excerptOf(diagnostic, source);
  if (line === undefined) return [];
  const from = Math.min(start.column - 1, line.length);
  const to = end.line > start.line ? line.length : Math.min(Math.max(end.column - 1, from), line.length);
  const [before, marked, after] = [line.slice(0, from), line.slice(from, to), line.slice(to)].map(visible);
  const window = excerptWindow(before ?? '', marked ?? '', after ?? '');
  const number = String(start.line);
  const blank = ' '.repeat(number.length);
  const underline = '^'.repeat(Math.max(1, cellsOf(window.marked)));
  return [
    `  ${number} | ${window.before}${window.marked}${window.after}`,
    `  ${blank} | ${' '.repeat(cellsOf(window.before))}${paint(underline)}`,
  ];
}

/**
 * The line that a diagnostic is about, as it may be shown. Of a data file, whose cells are about people, only the marked
 * cell; nothing when the whole row is marked.
 */
function excerptOf({ file, range }: Diagnostic, lines: readonly string[]): string | undefined {
  const { start, end } = range;
  const line = lines[start.line - 1];
  if (line !== undefined && line.length > MAX_LINE) return undefined;
  if (line === undefined || !DATA_FILE.test(file))
    return line === undefined ? undefined : concealedLine(lines, start.line - 1);
  const isHeader = start.line === 1 && !/json/i.test(file);
  if (isHeader) return line;
  const from = start.column - 1;
  const to = end.line > start.line ? line.length : end.column - 1;
  if (from === 0 && to >= line.length) return undefined;
  const hide = (text: string): string => text.replace(/[^\s,;]/g, '•');
  return hide(line.slice(0, from)) + line.slice(from, to) + hide(line.slice(to));
}

const DATA_FILE = /\.(?:csv|tsv|ndjson|jsonl)$/i;

/** Tabs become two blanks, so that the underline stands where the text does, whatever the terminal's tab stops. */
function visible(text: string): string {
  return escapeTerminal(text.replaceAll('\t', '  '));
}

function excerptWindow(
  before: string,
  marked: string,
  after: string,
): { readonly before: string; readonly marked: string; readonly after: string } {
  if (cellsOf(before) + cellsOf(marked) + cellsOf(after) <= EXCERPT_CELLS) return { before, marked, after };
  const short = fitCells(marked, 40);
  const room = short === marked ? 20 : 0;
  return { before: fitCellsEnd(before, 40), marked: short, after: room === 0 ? '' : fitCells(after, room) };
}
