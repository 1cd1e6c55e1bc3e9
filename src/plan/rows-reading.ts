import type { Range } from '../model/diagnostic.js';

/** The rows of a batch: cells as text, in the order of the columns. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Where a cell stands; the row when the column is undefined. Rows count from 0, without the header. */
  readonly rangeOf: (row: number, column: number | undefined) => Range;
}

/** A fault in a file of rows. */
export interface RowsFault {
  readonly range: Range;
  readonly message: string;
  readonly fix?: string;
}

/** Rows, or why they cannot be read; then with the columns, as far as they are known all the same. */
export type RowsReading =
  | { readonly ok: true; readonly rows: Rows }
  | { readonly ok: false; readonly faults: readonly RowsFault[]; readonly columns?: readonly string[] };

/** Longest line in UTF-16 units. */
export const MAX_LINE = 256 * 1024;

/** Most rows of a batch. */
export const MAX_ROWS = 1_000_000;

/** Most faults that are told of one file. */
export const MAX_FAULTS = 1000;

/** Most columns of rows. */
export const MAX_COLUMNS = 1000;

/** The first character of a file. */
export const START: Range = { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } };

/** The whole of a line. */
export function lineRange(line: number, width = 1): Range {
  return { start: { line, column: 1 }, end: { line, column: Math.max(2, width + 1) } };
}

/** Rows beyond {@link MAX_ROWS}. */
export function tooManyRows(): RowsReading {
  return fault(START, `The file has more than ${MAX_ROWS} rows.`, 'Make several batches of it.');
}

/** Columns beyond {@link MAX_COLUMNS}. */
export function tooManyColumns(): RowsReading {
  const message = `The rows have more than ${MAX_COLUMNS} columns.`;
  return fault(START, message, 'Keep the columns that the batch uses.');
}

/** A file that cannot be read for one reason. */
export function fault(range: Range, message: string, fix?: string): RowsReading {
  return { ok: false, faults: [{ range, message, ...(fix && { fix }) }] };
}
