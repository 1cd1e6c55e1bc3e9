import type { Span } from './node.js';

/**
 * Where the cells of a CSV text stand, record by record, without quotes; empty lines are no records. For
 * diagnostics only: values come from the CSV parser.
 *
 * @param most records after which it ends
 */
export function cellSpans(text: string, delimiter: string, most = Infinity): readonly (readonly Span[])[] {
  const records: Span[][] = [];
  let record: Span[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length && records.length < most) {
    const cell = cellAt(text, at, delimiter);
    record.push(cell.span);
    at = cell.next;
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      if (at < text.length) continue;
      record.push({ start: at, end: at });
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    const [first] = record;
    if (record.length > 1 || (first !== undefined && first.end > first.start) || cell.isQuoted)
      records.push(record);
    record = [];
  }
  return records;
}

interface Cell {
  readonly span: Span;
  /** Of the delimiter or line end that follows. */
  readonly next: number;
  readonly isQuoted: boolean;
}

function cellAt(text: string, start: number, delimiter: string): Cell {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && !text.startsWith(delimiter, end) && !'\r\n'.includes(text.charAt(end))) end++;
    return { span: { start, end }, next: end, isQuoted: false };
  }
  let end = start + 1;
  while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) end += text[end] === '"' ? 2 : 1;
  return { span: { start: start + 1, end }, next: Math.min(end + 1, text.length), isQuoted: true };
}
