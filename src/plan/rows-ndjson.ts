import {
  lineRange,
  MAX_COLUMNS,
  MAX_FAULTS,
  MAX_LINE,
  MAX_ROWS,
  tooManyColumns,
  tooManyRows,
  type Rows,
  type RowsFault,
  type RowsReading,
} from './rows-reading.js';

/** A line that could be read: its number from 1, and its cells by column. */
interface Line {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

/** Reads NDJSON. */
export function readNdjson(text: string): RowsReading {
  const read = readLines(text);
  if ('ok' in read) return read;
  const { lines } = read;
  const columns = columnsOf(lines);
  if (columns === undefined) return tooManyColumns();
  const faults = lines.flatMap(({ line, cells }) =>
    lacking(
      line,
      columns.filter((column) => !cells.has(column)),
    ),
  );
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, MAX_FAULTS), columns };
  const rows = lines.map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  const rangeOf: Rows['rangeOf'] = (row) => lineRange(lines[row]?.line ?? 1);
  return { ok: true, rows: { columns, rows, rangeOf } };
}

function readLines(text: string): RowsReading | { readonly lines: readonly Line[] } {
  const faults: RowsFault[] = [];
  const lines: Line[] = [];
  let line = 0;
  for (const raw of linesOf(text)) {
    line += 1;
    const source = raw.trim();
    if (source === '') continue;
    if (lines.length >= MAX_ROWS) return tooManyRows();
    const cells = cellsOfJson(source);
    if (typeof cells !== 'string') lines.push({ line, cells });
    else if (faults.push({ range: lineRange(line, raw.length), message: cells }) >= MAX_FAULTS) break;
  }
  // A line that cannot be read may hold any column.
  return faults.length > 0 ? { ok: false, faults } : { lines };
}

/** In order of appearance; undefined when there are too many. */
function columnsOf(lines: readonly Line[]): readonly string[] | undefined {
  const columns = new Set<string>();
  for (const { cells } of lines) {
    for (const column of cells.keys()) columns.add(column);
    if (columns.size > MAX_COLUMNS) return undefined;
  }
  return [...columns];
}

function lacking(line: number, missing: readonly string[]): readonly RowsFault[] {
  if (missing.length === 0) return [];
  return [{ range: lineRange(line), message: `This row lacks ${namesText(missing)}.` }];
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((one) => `"${one}"`);
  return names.length > shown.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
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

/** The cells of one line, or what is wrong with it. Numbers that JSON would round have to be quoted. */
function cellsOfJson(source: string): ReadonlyMap<string, string> | string {
  if (source.length > MAX_LINE) return `This line has more than ${MAX_LINE / 1024} kB.`;
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
