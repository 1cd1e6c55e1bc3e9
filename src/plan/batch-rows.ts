import type { Range } from '../model/diagnostic.js';
import type { Drafting } from './draft.js';
import { refusalProblem } from './file-problems.js';
import { suggestName } from './nearest.js';
import { child, scalarOf, textOf, type PlanNode } from './node.js';
import { readRows } from './rows.js';
import type { Rows } from './rows-reading.js';
import { readPlainText } from './text.js';

/** Largest file of rows in bytes. */
const MAX_ROWS_BYTES = 64_000_000;

/** The rows of a batch with their keys. */
export interface BatchRows extends Rows {
  readonly path: string;
  /** The column of the keys is there; otherwise that is reported, and no key is known. */
  readonly hasKeys: boolean;
  /** Key by row; unique and not empty, or reported and undefined. */
  readonly keys: readonly (string | undefined)[];
}

/** What is known of a batch's rows: all, their columns only, or nothing. */
export type BatchRowsReading =
  | { readonly rows: BatchRows; readonly columns: readonly string[] }
  | { readonly rows?: never; readonly columns: readonly string[] | undefined };

/** Reads the rows that a batch names, and checks their keys; faults are reported. */
export async function readBatchRows(value: PlanNode, drafting: Drafting): Promise<BatchRowsReading> {
  const { problems, files } = drafting;
  const node = scalarOf(child(value, 'rows'));
  const path = node && readPlainText(node, drafting);
  if (node === undefined || path === undefined) return { columns: undefined };
  const file = await files.read(path, MAX_ROWS_BYTES);
  if (file.status !== 'ok') {
    problems.report({ ...refusalProblem(file, path), at: node.span });
    return { columns: undefined };
  }
  const reading = await readRows(file.bytes, formatOf(value, path));
  if (!reading.ok) {
    for (const { range, message, fix } of reading.faults) {
      problems.reportIn(path, range, { code: 'PLAN_ROWS', message, ...(fix && { fix }) });
    }
    const { columns } = reading;
    if (columns !== undefined) keyColumn(value, columns, drafting);
    return { columns };
  }
  const { rows } = reading;
  const column = keyColumn(value, rows.columns, drafting);
  const keys = keysOf(column, path, rows, drafting);
  return { rows: { ...rows, path, keys, hasKeys: column !== undefined }, columns: rows.columns };
}

function formatOf(value: PlanNode, path: string): 'csv' | 'ndjson' {
  const named = textOf(child(value, 'format'));
  if (named !== undefined) return named === 'ndjson' ? 'ndjson' : 'csv';
  return /\.(?:ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv';
}

/** Index of the column that holds the keys; undefined when there is none, which is reported. */
function keyColumn(value: PlanNode, columns: readonly string[], { problems }: Drafting): number | undefined {
  const node = scalarOf(child(value, 'key'));
  if (node === undefined) return undefined;
  const column = columns.indexOf(node.text);
  if (column >= 0) return column;
  const message = `The rows have no column "${node.text}".`;
  const fix = suggestName(node.text, columns);
  problems.report({ code: 'PLAN_ROW_KEY', at: node.span, message, ...(fix && { fix }) });
  return undefined;
}

function keysOf(
  column: number | undefined,
  path: string,
  rows: Rows,
  { problems }: Drafting,
): BatchRows['keys'] {
  if (column === undefined) return rows.rows.map(() => undefined);
  const seen = new Map<string, number>();
  return rows.rows.map((row, at) => {
    const key = row[column] ?? '';
    const fault = keyFault(key, seen.get(key), rows, column);
    if (fault === undefined) {
      seen.set(key, at);
      return key;
    }
    const range: Range = rows.rangeOf(at, column);
    problems.reportIn(path, range, { code: 'PLAN_ROW_KEY', message: fault });
    return undefined;
  });
}

function keyFault(key: string, first: number | undefined, rows: Rows, column: number): string | undefined {
  if (key.trim() === '') return 'The key of this row is empty.';
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(key))
    return 'The key of this row holds a line break or another control character.';
  if (first === undefined) return undefined;
  return `The key "${key}" stands on line ${rows.rangeOf(first, column).start.line} already.`;
}
