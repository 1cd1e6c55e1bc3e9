import { isJsonObject } from './json.js';
/**
 * Marked values inside the inputs of a resource. All are plain JSON, so that inputs can be hashed and saved;
 * a plan's own maps may not use these member names.
 *
 * - `{"$placeholder": ["text", {"ref": "contract.core.Token"}, …]}` a string whose `ref` parts are addresses
 *   known only when applied.
 * - `{"$secret": {"env": "NAME"} | {"file": "path"}}` a value from the environment or a file, read by the
 *   door that sends it and never written.
 * - `{"$personal": "text"}` personal data written in the plan itself; sent, never written anywhere else.
 */
export const MARKS = ['$placeholder', '$secret', '$personal'];
/** True for a {@link Placeholder}. */
export function isPlaceholder(value) {
    return isJsonObject(value) && Array.isArray(value['$placeholder']);
}
/** A placeholder that is nothing but the address of one resource. */
export function addressPlaceholder(ref) {
    return { $placeholder: [{ ref }] };
}
/** The ids that a value's placeholders name, in order of appearance, each once. */
export function referencesOf(value) {
    const found = new Set();
    visit(value, (placeholder) => {
        for (const part of placeholder.$placeholder)
            if (typeof part !== 'string')
                found.add(part.ref);
    });
    return [...found];
}
/**
 * The value with every placeholder replaced by text.
 *
 * @param textOf the text of a reference (an address, or the service's own token inside one request);
 * undefined keeps that whole placeholder as it is.
 */
export function fillPlaceholders(value, textOf) {
    if (isPlaceholder(value)) {
        const parts = value.$placeholder.map((part) => (typeof part === 'string' ? part : textOf(part.ref)));
        return parts.includes(undefined) ? value : parts.join('');
    }
    if (Array.isArray(value))
        return mapItems(value, (item) => fillPlaceholders(item, textOf));
    if (isJsonObject(value))
        return mapMembers(value, (item) => fillPlaceholders(item, textOf));
    return value;
}
/** The value without secrets and personal data: what may be hashed, saved and shown. */
export function publicView(value) {
    if (Array.isArray(value))
        return mapItems(value, publicView);
    if (!isJsonObject(value))
        return value;
    if ('$secret' in value)
        return { $secret: value['$secret'] ?? null };
    if ('$personal' in value)
        return { $personal: '•••' };
    return mapMembers(value, publicView);
}
function visit(value, found) {
    if (isPlaceholder(value))
        found(value);
    else if (Array.isArray(value))
        for (const item of value)
            visit(item, found);
    else if (isJsonObject(value))
        for (const item of Object.values(value))
            visit(item, found);
}
/** The object itself when nothing changes: most inputs hold nothing to fill or to hide. */
function mapMembers(value, change) {
    let isChanged = false;
    const members = Object.entries(value).map(([key, item]) => {
        const made = change(item);
        isChanged ||= made !== item;
        return [key, made];
    });
    return isChanged ? Object.fromEntries(members) : value;
}
/** The list itself when nothing changes. */
function mapItems(items, change) {
    const made = items.map((item) => change(item));
    return made.some((item, index) => item !== items[index]) ? made : items;
}
