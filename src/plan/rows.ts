import type { Range } from '../model/diagnostic.js';
import { cellSpans } from './cells.js';
import { decodeUtf8 } from './file-problems.js';
import { positionsIn } from './problems.js';

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

const START: Range = { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } };

/**
 * Reads rows from UTF-8 bytes: CSV (RFC 4180 with `,`, `;` or tab, header line, BOM and any line end) or NDJSON
 * (one flat object per line). Cells are kept as they stand, spaces included.
 */
export async function readRows(bytes: Uint8Array, format: 'csv' | 'ndjson'): Promise<RowsReading> {
  const text = decodeUtf8(bytes);
  if (text === undefined || text.includes('\0')) return fault(START, ...encodingFault(bytes));
  return format === 'csv' ? readCsv(text) : readNdjson(text);
}

function encodingFault(bytes: Uint8Array): [string, string] {
  const isWide = bytes.includes(0);
  const found = isWide ? 'UTF-16' : 'not UTF-8, probably Windows-1252';
  return [`The file is ${found}.`, 'Save it as "CSV UTF-8".'];
}

async function readCsv(text: string): Promise<RowsReading> {
  const { parse, CsvError } = await import('csv-parse/sync');
  const header = text.split(/[\r\n]/, 1)[0] ?? '';
  const delimiter = [',', ';', '\t'].reduce((best, one) =>
    count(header, one) > count(header, best) ? one : best,
  );
  let records: readonly (readonly string[])[];
  try {
    records = parse(text, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true });
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    const lines = (thrown as { readonly lines?: number }).lines ?? 1;
    const message = `The file is not well-formed CSV: ${CSV_REASONS[thrown.code] ?? thrown.code}.`;
    return fault(lineRange(lines), message, 'Double quotes inside a quoted cell are written twice.');
  }
  const rangeOf = rangesIn(text, delimiter);
  const [columns, ...rows] = records;
  if (columns === undefined) return fault(START, 'The file has no header line.');
  const faults: RowsFault[] = columns.flatMap((column, at) => {
    const range = rangeOf(-1, at);
    if (column.trim() === '') return [{ range, message: `Column ${at + 1} has no name.` }];
    const isSecond = columns.indexOf(column) < at;
    return isSecond ? [{ range, message: `The column "${column}" stands in the header twice.` }] : [];
  });
  for (const [at, row] of rows.entries()) {
    if (row.length === columns.length) continue;
    const message = `This row has ${row.length} cells, the header has ${columns.length}.`;
    const fix = `Quote cells that hold "${delimiter === '\t' ? 'a tab' : delimiter}".`;
    faults.push({ range: rangeOf(at, undefined), message, fix });
  }
  return faults.length > 0 ? { ok: false, faults, columns } : { ok: true, rows: { columns, rows, rangeOf } };
}

const CSV_REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that does not begin with one',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'something follows a closing quote',
};

/** Positions of cells, found when first asked for: most files have no fault. */
function rangesIn(text: string, delimiter: string): Rows['rangeOf'] {
  let spans: ReturnType<typeof cellSpans> | undefined;
  const positionOf = positionsIn(text);
  return (row, column) => {
    spans ??= cellSpans(text, delimiter);
    const record = spans[row + 1] ?? [];
    const first = record[column ?? 0] ?? record[0];
    const last = column === undefined ? record.at(-1) : first;
    if (first === undefined || last === undefined) return START;
    return { start: positionOf(first.start), end: positionOf(Math.max(last.end, first.start + 1)) };
  };
}

function readNdjson(text: string): RowsReading {
  const faults: RowsFault[] = [];
  const lines: { readonly line: number; readonly cells: ReadonlyMap<string, string> }[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const source = raw.trim();
    if (source === '') continue;
    const cells = cellsOfJson(source);
    if (typeof cells === 'string') faults.push({ range: lineRange(index + 1, raw.length), message: cells });
    else lines.push({ line: index + 1, cells });
  }
  // A line that cannot be read may hold any column.
  if (faults.length > 0) return { ok: false, faults };
  const columns = [...new Set(lines.flatMap(({ cells }) => [...cells.keys()]))];
  for (const { line, cells } of lines) {
    const missing = columns.filter((column) => !cells.has(column));
    if (missing.length === 0) continue;
    faults.push({
      range: lineRange(line),
      message: `This row lacks ${missing.map((one) => `"${one}"`).join(', ')}.`,
    });
  }
  if (faults.length > 0) return { ok: false, faults, columns };
  const rows = lines.map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  const rangeOf: Rows['rangeOf'] = (row) => lineRange(lines[row]?.line ?? 1);
  return { ok: true, rows: { columns, rows, rangeOf } };
}

/** The cells of one line, or what is wrong with it. Numbers that JSON would round have to be quoted. */
function cellsOfJson(source: string): ReadonlyMap<string, string> | string {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return 'This line is not valid JSON.';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'This line is not a JSON object.';
  const cells = new Map<string, string>();
  for (const [key, cell] of Object.entries(value)) {
    if (typeof cell === 'string') cells.set(key, cell);
    else if (cell === null) cells.set(key, '');
    else if (typeof cell === 'boolean' || Number.isSafeInteger(cell)) cells.set(key, String(cell));
    else return `"${key}" is neither text nor a whole number that stays exact: quote it.`;
  }
  return cells;
}

function lineRange(line: number, width = 1): Range {
  return { start: { line, column: 1 }, end: { line, column: Math.max(2, width + 1) } };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function fault(range: Range, message: string, fix?: string): RowsReading {
  return { ok: false, faults: [{ range, message, ...(fix && { fix }) }] };
}
