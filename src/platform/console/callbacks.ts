import type { Json } from '../../model/json.js';
import { callbackItem, CALLBACK_COLUMNS, type CallbackRow } from '../delivery/callback-item.js';
import { notFound, type Context } from '../handlers/handler.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { ListedCallback, ListPage, ShownCallback } from './shapes.js';
import { aboutSubjects } from './subjects.js';

/** Callbacks, newest first; `state` filters them. */
export async function listCallbacks(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<ListedCallback>> {
  const filter = given([['state = ?', query['state']]]);
  const from = `FROM callbacks WHERE org = ?${filter.sql}`;
  const list = { columns: CALLBACK_COLUMNS, from, args: [org, ...filter.args], order: 'id' };
  const page = await readList<CallbackRow>(records, list, query);
  const about = await aboutSubjects(
    records,
    org,
    page.items.map(({ subject }) => subject),
  );
  return { ...page, items: page.items.map((row) => ({ ...callbackItem(row), about: about(row.subject) })) };
}

/** One callback with what it carries. @throws ServiceError 404 */
export async function showCallback({ records }: Context, { org, params }: Query): Promise<ShownCallback> {
  const { id = '' } = params;
  const row = /^\d{1,15}$/.test(id)
    ? await records.first<CallbackRow & { readonly body: string }>(
        `SELECT ${CALLBACK_COLUMNS}, body FROM callbacks WHERE org = ? AND id = ?`,
        [org, Number(id)],
      )
    : undefined;
  if (!row) throw notFound();
  const { body, ...item } = row;
  const about = await aboutSubjects(records, org, [row.subject]);
  return { ...callbackItem(item), about: about(row.subject), body: JSON.parse(body) as Json };
}
