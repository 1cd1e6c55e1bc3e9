import { hash } from 'node:crypto';
/**
 * The one text of a JSON value: members sorted by code unit, no white space, as RFC 8785 does for the
 * values Windlass uses. Two values are equal exactly when their canonical texts are.
 */
export function canonicalJson(value) {
    if (typeof value === 'string')
        return quoted(value);
    if (typeof value !== 'object' || value === null)
        return JSON.stringify(value);
    if (Array.isArray(value))
        return `[${value.map(canonicalJson).join(',')}]`;
    const object = value;
    let members = '';
    for (const key of sortedKeys(object)) {
        const item = object[key];
        if (item === undefined)
            continue;
        if (members !== '')
            members += ',';
        members += `${quoted(key)}:${canonicalJson(item)}`;
    }
    return `{${members}}`;
}
/** Short texts that JSON writes as they are: most names, and quicker than asking for each. */
const PLAIN = /^[ !#-[\]-~]{0,64}$/;
function quoted(text) {
    return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
/** So few members are put in order by hand: `sort` allocates several times what they are. */
const FEW = 16;
function sortedKeys(object) {
    const keys = Object.keys(object);
    if (keys.length > FEW)
        return keys.sort();
    for (let index = 1; index < keys.length; index += 1) {
        const key = keys[index] ?? '';
        let place = index;
        for (let before = keys[place - 1]; before !== undefined && before > key; before = keys[place - 1]) {
            keys[place] = before;
            place -= 1;
        }
        keys[place] = key;
    }
    return keys;
}
/** SHA-256 of bytes; a string counts as its UTF-8 bytes. */
export function digestOfBytes(bytes) {
    return `sha256:${hash('sha256', bytes, 'hex')}`;
}
/** SHA-256 of the canonical text of a JSON value. */
export function digestOf(value) {
    return digestOfBytes(canonicalJson(value));
}
/** True when two values have one canonical text; most often without making it. */
export function isSameJson(one, other) {
    if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
        return one === other;
    if (Array.isArray(one) || Array.isArray(other))
        return canonicalJson(one) === canonicalJson(other);
    const members = one;
    const others = other;
    const keys = Object.keys(members);
    return (keys.length === Object.keys(others).length &&
        keys.every((key) => isSameMember(members[key], Object.hasOwn(others, key) ? others[key] : undefined)));
}
function isSameMember(one, other) {
    return one === undefined || other === undefined ? one === other : isSameJson(one, other);
}
