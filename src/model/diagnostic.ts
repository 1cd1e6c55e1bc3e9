/** A position in a text; both from 1. Columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A stretch of a file; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A mistake (or a doubt) in something the author wrote. All of a file's diagnostics are reported together. */
export interface Diagnostic {
  /** Key of the error table (`error-codes.ts`), `ROOM_PROBLEM`. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence: what is wrong and why. */
  readonly message: string;
  /** Path as the user gave it, or relative to the plan's folder. */
  readonly file: string;
  readonly range: Range;
  /** What to write instead, including the nearest valid name. */
  readonly fix?: string;
}

/** A value, or the mistakes that prevent it; warnings may stand beside a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Diagnostics in reading order, the same one once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const once = new Map(diagnostics.map((d) => [`${d.file}:${keyOf(d.range)}:${d.code}:${d.message}`, d]));
  return [...once.values()].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.range.start.line - b.range.start.line ||
      a.range.start.column - b.range.start.column ||
      compareText(a.code, b.code),
  );
}

function keyOf(range: Range): string {
  return `${range.start.line}.${range.start.column}-${range.end.line}.${range.end.column}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
