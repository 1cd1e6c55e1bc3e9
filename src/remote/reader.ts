import { WindlassError } from '../model/error.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { ReadAnswer } from '../kinds/operation.js';
import { failureText, unwrap } from '../protocol/envelope.js';
import { jsonOf } from './classify.js';
import type { HttpResponse } from './exchange.js';
import { missingScope } from './own-key.js';

/** Pages of one list at most; more is a service that never ends. */
const MAX_PAGES = 10_000;

/** Times that a list is read anew because its `total` changed under the reading. */
const MAX_WALKS = 3;

/** Gets one path of the service, repeated as reads may be. */
export type Get = (path: string) => Promise<HttpResponse>;

/** What one GET showed: an answer, or a result with its paging. */
export type Page =
  | { readonly type: 'page'; readonly result: Json; readonly pagination: JsonObject | undefined }
  | Exclude<ReadAnswer, { type: 'found' }>;

/**
 * Reads one thing. `absent` needs a 404 with the service's own JSON: a web server that knows no such path must not
 * look like a service that has no such thing.
 *
 * @throws REMOTE_AUTHENTICATION on 401 and 403
 */
export async function readOne(get: Get, path: string): Promise<ReadAnswer> {
  const page = await readPage(get, path);
  return page.type === 'page' ? { type: 'found', value: page.result, source: 'read' } : page;
}

/**
 * Reads a whole list, page by page with `page=N`; the `*_page_url` members are never followed (service facts §1.9).
 * A list without paging is whole. When `total` changes between pages, entries may have moved from one page to
 * another, so the reading starts again.
 */
export async function readList(get: Get, path: string): Promise<ReadAnswer> {
  for (let walk = 0; walk < MAX_WALKS; walk += 1) {
    const answer = await walkPages(get, path);
    if (answer !== 'moved') return answer;
  }
  return { type: 'unreadable', message: 'the list kept changing while it was read' };
}

async function walkPages(get: Get, path: string): Promise<ReadAnswer | 'moved'> {
  const items: Json[] = [];
  let total: Json | undefined;
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const page = await readPage(get, number === 1 ? path : withPage(path, number));
    if (page.type !== 'page') return number === 1 ? page : 'moved';
    if (!Array.isArray(page.result)) return unreadable('the list is not an array');
    items.push(...(page.result as readonly Json[]));
    if (number > 1 && page.pagination?.['total'] !== total) return 'moved';
    total = page.pagination?.['total'];
    if (isLast(page.pagination, number)) return { type: 'found', value: items, source: 'read' };
  }
  return unreadable(`the list has more than ${MAX_PAGES} pages`);
}

function isLast(pagination: JsonObject | undefined, number: number): boolean {
  const last = pagination?.['last_page'];
  if (typeof last === 'number') return number >= last;
  return (pagination?.['next_page_url'] ?? null) === null;
}

function withPage(path: string, number: number): string {
  return `${path}${path.includes('?') ? '&' : '?'}page=${number}`;
}

/** Reads one page. @throws REMOTE_SCOPE on a 403 that names one, REMOTE_AUTHENTICATION on 401 and every other 403 */
export async function readPage(get: Get, path: string): Promise<Page> {
  const response = await get(path);
  const { status } = response;
  const body = jsonOf(response);
  const scope = status === 403 ? missingScope(body) : undefined;
  if (scope !== undefined)
    throw new WindlassError('REMOTE_SCOPE', `The API key lacks the scope ${scope}: ${failureText(body)}`);
  if (status === 401 || status === 403) {
    throw new WindlassError('REMOTE_AUTHENTICATION', `HTTP ${status}: ${failureText(body)}`);
  }
  if (status === 404 && isJsonObject(body)) return { type: 'absent' };
  if (status < 200 || status >= 300) return unreadable(`HTTP ${status}: ${failureText(body)}`);
  const unwrapped = unwrap(body);
  if (unwrapped.type === 'failure') return unreadable(unwrapped.message);
  if (unwrapped.type === 'unrecognised') return unreadable('the answer is not of the interface');
  return { type: 'page', result: unwrapped.result, pagination: unwrapped.pagination };
}

function unreadable(message: string): Exclude<ReadAnswer, { type: 'found' }> {
  return { type: 'unreadable', message };
}
