import { canonicalJson } from '../model/canonical.js';
import { readList, readPage } from './reader.js';
/**
 * Reads a whole list that nothing ever leaves and whose newest entries come first. Where the first page shows that an
 * earlier reading lacks nothing but the entries at the front, by content and by count, the rest is not read again: what
 * a lane of deploy requests reads then grows with its steps, not their square. Otherwise, and where a service shows no
 * count, the list is read page by page.
 *
 * @throws REMOTE_AUTHENTICATION on 401 and 403
 */
export async function readGrowingList(get, path, known) {
    const before = known.get(path);
    const joined = before === undefined ? undefined : await joinFirstPage(get, path, before);
    const answer = joined === undefined ? await readList(get, path) : { type: 'found', value: joined, source: 'read' };
    if (answer.type === 'found' && Array.isArray(answer.value))
        known.set(path, answer.value);
    return answer;
}
/** The list as it is now; undefined when the first page does not prove it. */
async function joinFirstPage(get, path, before) {
    const page = await readPage(get, path);
    if (page.type !== 'page' || !Array.isArray(page.result))
        return undefined;
    const items = page.result;
    const total = page.pagination?.['total'];
    const fresh = typeof total === 'number' ? total - before.length : -1;
    // At least one entry that is known must follow the new ones.
    if (fresh < 0 || fresh >= items.length)
        return undefined;
    const old = items.slice(fresh);
    const isNext = old.every((item, index) => isSame(item, before[index]));
    return isNext ? [...items.slice(0, fresh), ...before] : undefined;
}
function isSame(a, b) {
    return b !== undefined && canonicalJson(a) === canonicalJson(b);
}
