import type { Json } from '../../model/json.js';
import { notFound, type Context } from '../handlers/handler.js';
import { timestampOf } from '../state/timestamp.js';
import { originOf } from './deployments.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { CallbackItem, ListPage, ShownCallback } from './shapes.js';

const COLUMNS = 'id, url, subject, state, attempts, last_result, created_at';

type Row = Omit<CallbackItem, 'origin'> & { readonly url: string };

/** Callbacks, newest first; `state` filters them. */
export async function listCallbacks(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<CallbackItem>> {
  const filter = given([['state = ?', query['state']]]);
  const from = `FROM callbacks WHERE org = ?${filter.sql}`;
  const list = { columns: COLUMNS, from, args: [org, ...filter.args], order: 'id' };
  const page = await readList<Row>(records, list, query);
  return { ...page, items: page.items.map(itemOf) };
}

/** One callback with what it carries. @throws ServiceError 404 */
export async function showCallback({ records }: Context, { org, params }: Query): Promise<ShownCallback> {
  const { id = '' } = params;
  const row = /^\d{1,15}$/.test(id)
    ? await records.first<Row & { readonly body: string; readonly due: number }>(
        `SELECT ${COLUMNS}, body, due FROM callbacks WHERE org = ? AND id = ?`,
        [org, Number(id)],
      )
    : undefined;
  if (!row) throw notFound();
  const { body, due, ...item } = row;
  const due_at = row.state === 'pending' ? timestampOf(due) : null;
  return { ...itemOf(item), body: JSON.parse(body) as Json, due_at };
}

function itemOf({ url, ...row }: Row): CallbackItem {
  return { ...row, origin: originOf(url) ?? '' };
}
