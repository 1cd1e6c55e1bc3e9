import type { Json } from '../../model/json.js';
import {
  callbackItem,
  CALLBACK_COLUMNS,
  type CallbackItem,
  type CallbackRow,
} from '../delivery/callback-item.js';
import { notFound, type Context } from '../handlers/handler.js';
import { timestampOf } from '../state/timestamp.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { ListPage, ShownCallback } from './shapes.js';

/** Callbacks, newest first; `state` filters them. */
export async function listCallbacks(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<CallbackItem>> {
  const filter = given([['state = ?', query['state']]]);
  const from = `FROM callbacks WHERE org = ?${filter.sql}`;
  const list = { columns: CALLBACK_COLUMNS, from, args: [org, ...filter.args], order: 'id' };
  const page = await readList<CallbackRow>(records, list, query);
  return { ...page, items: page.items.map(callbackItem) };
}

/** One callback with what it carries. @throws ServiceError 404 */
export async function showCallback({ records }: Context, { org, params }: Query): Promise<ShownCallback> {
  const { id = '' } = params;
  const row = /^\d{1,15}$/.test(id)
    ? await records.first<CallbackRow & { readonly body: string; readonly due: number }>(
        `SELECT ${CALLBACK_COLUMNS}, body, due FROM callbacks WHERE org = ? AND id = ?`,
        [org, Number(id)],
      )
    : undefined;
  if (!row) throw notFound();
  const { body, due, ...item } = row;
  const due_at = row.state === 'pending' ? timestampOf(due) : null;
  return { ...callbackItem(item), body: JSON.parse(body) as Json, due_at };
}
