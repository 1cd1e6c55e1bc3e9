import { cellSpans } from './cells.js';
import { positionsIn } from './problems.js';
import {
  fault,
  lineRange,
  MAX_COLUMNS,
  MAX_FAULTS,
  MAX_LINE,
  MAX_ROWS,
  START,
  tooManyColumns,
  tooManyRows,
  type Rows,
  type RowsFault,
  type RowsReading,
} from './rows-reading.js';

/** Reads CSV. */
export async function readCsv(text: string): Promise<RowsReading> {
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

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
