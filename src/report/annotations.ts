import { ERROR_CODES } from '../model/error-codes.js';
import { sortDiagnostics, type Diagnostic } from '../model/diagnostic.js';
import { canonicalJson, digestOfBytes } from '../model/canonical.js';
import type { Json } from '../model/json.js';
import { escapeTerminal } from './escape.js';

/** GitHub keeps ten annotations per step and drops the rest without a word. */
const MOST_ANNOTATIONS = 10;

/** GitHub shows and stores no more results of one run than this. */
const MOST_SARIF_RESULTS = 25_000;

/**
 * Diagnostics as GitHub workflow commands, one a line, at most ten; the last says how many more there are.
 * No name in them can end the command or begin another.
 */
export function githubAnnotations(diagnostics: readonly Diagnostic[]): string {
  const sorted = sortDiagnostics(diagnostics);
  const shown = sorted.length > MOST_ANNOTATIONS ? sorted.slice(0, MOST_ANNOTATIONS - 1) : sorted;
  const lines = shown.map(annotation);
  const rest = sorted.length - shown.length;
  if (rest > 0) lines.push(`::error title=Windlass::… and ${rest} more; see \`windlass validate\``);
  return lines.join('\n');
}

/** Diagnostics as a SARIF 2.1.0 log (OASIS); file names relative to the working folder, columns in UTF-16 units. */
export function sarifLog(diagnostics: readonly Diagnostic[], engine: string): Json {
  const sorted = sortDiagnostics(diagnostics).slice(0, MOST_SARIF_RESULTS);
  const codes = [...new Set(sorted.map((diagnostic) => diagnostic.code))];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Windlass', version: engine, rules: codes.map(sarifRule) } },
        columnKind: 'utf16CodeUnits',
        results: sorted.map((diagnostic) => sarifResult(diagnostic, codes.indexOf(diagnostic.code))),
      },
    ],
  };
}

/**
 * Diagnostics as a GitLab code quality report (`artifacts: reports: codequality`): the merge request shows each beside
 * its line, and calls an issue new when its fingerprint was not there before, so that fingerprints leave lines out.
 */
export function gitlabCodeQuality(diagnostics: readonly Diagnostic[]): Json {
  const seen = new Map<string, number>();
  return sortDiagnostics(diagnostics).map(({ code, severity, message, fix, file, range }) => {
    const base = canonicalJson([code, file, message]);
    const times = (seen.get(base) ?? 0) + 1;
    seen.set(base, times);
    return {
      description: escapeTerminal(fix === undefined ? message : `${message} Fix: ${fix}`),
      check_name: code,
      fingerprint: digestOfBytes(`${base} ${times}`).slice('sha256:'.length),
      severity: severity === 'error' ? 'critical' : 'minor',
      location: { path: escapeTerminal(file), lines: { begin: range.start.line, end: range.end.line } },
    };
  });
}

function annotation(diagnostic: Diagnostic): string {
  const { start, end } = diagnostic.range;
  const place = [
    `file=${property(diagnostic.file)}`,
    `line=${start.line}`,
    `endLine=${end.line}`,
    ...(start.line === end.line ? [`col=${start.column}`, `endColumn=${end.column}`] : []),
    `title=${property(diagnostic.code)}`,
  ];
  const text = diagnostic.fix === undefined ? diagnostic.message : `${diagnostic.message} ${diagnostic.fix}`;
  return `::${diagnostic.severity} ${place.join(',')}::${data(text)}`;
}

function data(text: string): string {
  return escapeTerminal(text).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function sarifRule(code: string): Json {
  const row = Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1];
  return {
    id: code,
    ...(row && { shortDescription: { text: row.meaning }, help: { text: row.advice } }),
  };
}

function sarifResult(diagnostic: Diagnostic, ruleIndex: number): Json {
  const { start, end } = diagnostic.range;
  const text =
    diagnostic.fix === undefined ? diagnostic.message : `${diagnostic.message} Fix: ${diagnostic.fix}`;
  return {
    ruleId: diagnostic.code,
    ruleIndex,
    level: diagnostic.severity,
    message: { text: escapeTerminal(text) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: fileUri(diagnostic.file) },
          region: {
            startLine: start.line,
            startColumn: start.column,
            endLine: end.line,
            endColumn: end.column,
          },
        },
      },
    ],
  };
}

function fileUri(path: string): string {
  return escapeTerminal(path).split(/[\\/]/).map(encodeURIComponent).join('/');
}
