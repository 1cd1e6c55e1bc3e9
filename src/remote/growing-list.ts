import { canonicalJson } from '../model/canonical.js';
import type { Json } from '../model/json.js';
import type { ReadAnswer } from '../kinds/operation.js';
import { readList, readPage, type Get } from './reader.js';

/** Lists as they were read last, by path. */
export type KnownLists = Map<string, readonly Json[]>;

/**
 * Reads a whole list that nothing ever leaves and whose newest entries come first. Where the first page shows that an
 * earlier reading lacks nothing but the entries at the front, by content and by count, the rest is not read again: what
 * a lane of deploy requests reads then grows with its steps, not their square. Otherwise, and where a service shows no
 * count, the list is read page by page.
 *
 * @throws REMOTE_AUTHENTICATION on 401 and 403
 */
export async function readGrowingList(get: Get, path: string, known: KnownLists): Promise<ReadAnswer> {
  const before = known.get(path);
  const joined = before === undefined ? undefined : await joinFirstPage(get, path, before);
  const answer: ReadAnswer =
    joined === undefined ? await readList(get, path) : { type: 'found', value: joined, source: 'read' };
  if (answer.type === 'found' && Array.isArray(answer.value))
    known.set(path, answer.value as readonly Json[]);
  return answer;
}

/** The list as it is now; undefined when the first page does not prove it. */
async function joinFirstPage(
  get: Get,
  path: string,
  before: readonly Json[],
): Promise<readonly Json[] | undefined> {
  const page = await readPage(get, path);
  if (page.type !== 'page' || !Array.isArray(page.result)) return undefined;
  const items = page.result as readonly Json[];
  const total = page.pagination?.['total'];
  const fresh = typeof total === 'number' ? total - before.length : -1;
  // At least one entry that is known must follow the new ones.
  if (fresh < 0 || fresh >= items.length) return undefined;
  const old = items.slice(fresh);
  const isNext = old.every((item, index) => isSame(item, before[index]));
  return isNext ? [...items.slice(0, fresh), ...before] : undefined;
}

function isSame(a: Json, b: Json | undefined): boolean {
  return b !== undefined && canonicalJson(a) === canonicalJson(b);
}
