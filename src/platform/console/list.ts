import { pageOf } from '../handlers/page.js';
import type { Reader, Value } from '../state/records.js';
import type { ListPage } from './shapes.js';

/** Rows on a page of the console's lists. */
const SIZE = 25;

/** Which rows, of which tables. */
export interface ListQuery {
  readonly columns: string;
  /** From `FROM` to the end of `WHERE`. */
  readonly from: string;
  readonly args: readonly Value[];
  /** Newest first, by this column. */
  readonly order: string;
}

/** Reads one page of a list. @throws ServiceError 422 when `page` is no page */
export async function readList<Row>(
  reader: Reader,
  list: ListQuery,
  query: Readonly<Record<string, string>>,
): Promise<ListPage<Row>> {
  const { columns, from, args, order } = list;
  const page = pageOf(query, SIZE);
  const counted = await reader.first<{ n: number }>(`SELECT count(*) AS n ${from}`, args);
  const sql = `SELECT ${columns} ${from} ORDER BY ${order} DESC LIMIT ? OFFSET ?`;
  const items = await reader.all<Row>(sql, [...args, page.size, page.offset]);
  const total = counted?.n ?? 0;
  return { items, page: page.number, pages: Math.max(1, Math.ceil(total / SIZE)), total };
}

/** Conditions of a list: those whose value was asked for. */
export function given(filters: readonly (readonly [sql: string, value: string | undefined])[]): {
  readonly sql: string;
  readonly args: readonly string[];
} {
  const asked = filters.flatMap(([sql, value]) =>
    value === undefined || value === '' ? [] : [{ sql, value }],
  );
  return { sql: asked.map(({ sql }) => ` AND ${sql}`).join(''), args: asked.map(({ value }) => value) };
}
