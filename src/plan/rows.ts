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

/** Longest line in UTF-16 units, and most rows of a batch. */
const MAX_LINE = 256 * 1024;
const MAX_ROWS = 1_000_000;

/** Most faults that are told of one file. */
const MAX_FAULTS = 1000;

/** Most columns of rows. */
const MAX_COLUMNS = 1000;

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
  if (hasLongLine(text)) return fault(START, `A line of the file has more than ${MAX_LINE / 1024} kB.`);
  const records: string[][] = [];
  try {
    parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      // Each row of another length costs an error with its stack, so that a file of nothing else would take minutes.
      on_record: keeper(records),
    });
  } catch (thrown) {
    if (thrown instanceof EnoughRows) return rowsOf(records, text, delimiter);
    if (!(thrown instanceof CsvError)) throw thrown;
    const lines = (thrown as { readonly lines?: number }).lines ?? 1;
    const message = `The file is not well-formed CSV: ${CSV_REASONS[thrown.code] ?? thrown.code}.`;
    return fault(lineRange(lines), message, 'Double quotes inside a quoted cell are written twice.');
  }
  return rowsOf(records, text, delimiter);
}

/** Thrown to end the parser: what is kept shows already that the file is not taken. */
class EnoughRows extends Error {}

/** Keeps rows as the parser finds them. @throws EnoughRows */
function keeper(records: string[][]): (record: string[]) => null {
  let uneven = 0;
  return (record) => {
    records.push(record);
    if (record.length !== records[0]?.length) uneven += 1;
    const isWide = (records[0]?.length ?? 0) > MAX_COLUMNS;
    if (isWide || uneven >= MAX_FAULTS || records.length > MAX_ROWS + 1) throw new EnoughRows();
    return null;
  };
}

function hasLongLine(text: string): boolean {
  let from = 0;
  for (const line of text.matchAll(/[\r\n]/g)) {
    if (line.index - from > MAX_LINE) return true;
    from = line.index + 1;
  }
  return text.length - from > MAX_LINE;
}

function rowsOf(records: readonly (readonly string[])[], text: string, delimiter: string): RowsReading {
  const rangeOf = rangesIn(text, delimiter, records.length);
  const [columns, ...rows] = records;
  if (columns === undefined) return fault(START, 'The file has no header line.');
  if (columns.length > MAX_COLUMNS) return tooManyColumns();
  const faults: RowsFault[] = columns.flatMap((column, at) => {
    const range = rangeOf(-1, at);
    if (column.trim() === '') return [{ range, message: `Column ${at + 1} has no name.` }];
    const isSecond = columns.indexOf(column) < at;
    return isSecond ? [{ range, message: `The column "${column}" stands in the header twice.` }] : [];
  });
  if (rows.length > MAX_ROWS) return tooManyRows();
  for (const [at, row] of rows.entries()) {
    if (faults.length >= MAX_FAULTS) break;
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
function rangesIn(text: string, delimiter: string, records: number): Rows['rangeOf'] {
  let spans: ReturnType<typeof cellSpans> | undefined;
  const positionOf = positionsIn(text);
  return (row, column) => {
    spans ??= cellSpans(text, delimiter, records);
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
  let index = -1;
  for (const raw of linesOf(text)) {
    index += 1;
    const source = raw.trim();
    if (source === '') continue;
    if (lines.length >= MAX_ROWS) return tooManyRows();
    if (faults.length >= MAX_FAULTS) break;
    const cells =
      raw.length > MAX_LINE ? `This line has more than ${MAX_LINE / 1024} kB.` : cellsOfJson(source);
    if (typeof cells === 'string') faults.push({ range: lineRange(index + 1, raw.length), message: cells });
    else lines.push({ line: index + 1, cells });
  }
  // A line that cannot be read may hold any column.
  if (faults.length > 0) return { ok: false, faults };
  const columns: string[] = [];
  const known = new Set<string>();
  for (const { cells } of lines) {
    for (const column of cells.keys()) {
      if (known.has(column)) continue;
      known.add(column);
      columns.push(column);
    }
    if (columns.length > MAX_COLUMNS) return tooManyColumns();
  }
  for (const { line, cells } of lines) {
    const missing = columns.filter((column) => !cells.has(column));
    if (missing.length === 0) continue;
    if (faults.length >= MAX_FAULTS) break;
    faults.push({
      range: lineRange(line),
      message: `This row lacks ${namesText(missing)}.`,
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

function tooManyRows(): RowsReading {
  return fault(START, `The file has more than ${MAX_ROWS} rows.`, 'Make several batches of it.');
}

/** Lines one after the other: a list of all of them can take much more room than the text. */
function* linesOf(text: string): Generator<string> {
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', from)) {
    yield text.slice(from, at);
    from = at + 1;
  }
  yield text.slice(from);
}

function tooManyColumns(): RowsReading {
  const message = `The rows have more than ${MAX_COLUMNS} columns.`;
  return fault(START, message, 'Keep the columns that the batch uses.');
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((one) => `"${one}"`);
  return names.length > shown.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
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
