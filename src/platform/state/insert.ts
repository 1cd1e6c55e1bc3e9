import type { Value, Writer } from './records.js';

/**
 * Runs an `INSERT` and answers the id of the new row.
 *
 * @param sql without `RETURNING`; the table has a column `id`
 */
export async function insert(writer: Writer, sql: string, args: readonly Value[]): Promise<number> {
  const row = await writer.first<{ id: number }>(`${sql} RETURNING id`, args);
  if (!row) throw new Error('the new row was not recorded');
  return row.id;
}
