import { isJsonObject } from '../model/json.js';
/** The objects of a list that was read; empty for any other answer. */
export function itemsOf(answer) {
    const value = answer?.type === 'found' ? answer.value : undefined;
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
/** The object that was read; undefined for any other answer. */
export function objectOf(answer) {
    return answer?.type === 'found' && isJsonObject(answer.value) ? answer.value : undefined;
}
/** The strings that the items have under `key`, in order. */
export function textsOf(items, key) {
    return items.flatMap((item) => {
        const text = item[key];
        return typeof text === 'string' ? [text] : [];
    });
}
/** The strings of a JSON array that was journaled; empty for anything else. */
export function textList(value) {
    return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
}
/**
 * What a list held under `key` before a write, for its pre-image; null when the list could not be read, because then
 * nothing in it can be told to be new.
 */
export function namesBefore(answer, key) {
    if (answer?.type !== 'found')
        return null;
    return itemsOf(answer).flatMap((item) => idText(item[key]) ?? []);
}
/** The items of a list that were not there before the write and belong to no other attempt; `context.before` says what was. */
export function newItems(answer, key, known) {
    const names = known.context['before'];
    if (!Array.isArray(names))
        return [];
    const before = new Set(names);
    return itemsOf(answer).filter((item) => {
        const name = idText(item[key]);
        return name !== undefined && !before.has(name) && !known.isTaken(name);
    });
}
/** True when a pre-image was had and does not hold the name. */
export function isNew(name, before) {
    return Array.isArray(before) && !before.includes(name);
}
/** The one item of a list; undefined when there is none or a choice. */
export function only(items) {
    return items.length === 1 ? items[0] : undefined;
}
/** An id that may come as a number or as text; undefined for anything else. */
export function idText(value) {
    return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}
