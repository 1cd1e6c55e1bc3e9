import type { Json, JsonObject } from '../model/json.js';
import { escapeTerminal } from './escape.js';
import { cellsOf, padCells } from './width.js';

/** Rows with equal members as a table; the header is the first row's members. Nested values are left out. */
export function tableText(rows: readonly JsonObject[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const columns = Object.keys(first).filter((name) => !isNested(first[name] ?? null));
  const lines = [columns, ...rows.map((row) => columns.map((name) => cellText(row[name] ?? null)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => cellsOf(line[index] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, index) => padCells(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellText(value: Json): string {
  if (value === null || isNested(value)) return '';
  return escapeTerminal(typeof value === 'string' ? value : JSON.stringify(value));
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}
