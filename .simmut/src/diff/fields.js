import { isSameJson } from '../model/canonical.js';
import { isJsonObject } from '../model/json.js';
import { isPlaceholder } from '../model/value.js';
const NONE = [];
/**
 * The places where two values differ, by path (`params.cap`, `sources[Token.sol]`, `attributes[2]`), in the order of
 * the members' names. Empty exactly when their canonical texts are equal.
 */
export function changedFields(before, after, path = '') {
    if (before !== undefined && after !== undefined) {
        if (isSameJson(before, after))
            return NONE;
        if (isMap(before) && isMap(after))
            return changedMembers(before, after, path);
        if (Array.isArray(before) && Array.isArray(after))
            return changedItems(before, after, path);
    }
    else if (before === after) {
        return NONE;
    }
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}
/** Differences in the members that `shown` has, each compared whole; a read often shows only part of what was sent. */
export function driftedFields(locked, shown) {
    if (!isMap(locked))
        return [];
    return Object.keys(shown)
        .sort()
        .flatMap((key) => changedFields(locked[key], shown[key], memberPath('', key)));
}
/** How what is seen of a locked thing differs from what is locked: in what was asked for, and in what was made of it. */
export function driftOf(entry, { inputs = {}, made = {} }) {
    const names = Object.keys(made);
    // What nothing is compared with is not read from the lock.
    const ofInputs = Object.keys(inputs).length === 0 ? NONE : driftedFields(entry.inputs, inputs);
    if (names.length === 0)
        return ofInputs;
    const known = names.filter((name) => entry.outputs[name] !== undefined);
    const shown = Object.fromEntries(known.map((name) => [name, made[name] ?? null]));
    return [...ofInputs, ...driftedFields(entry.outputs, shown)];
}
function changedMembers(before, after, path) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => changedFields(before[key], after[key], memberPath(path, key)));
}
function changedItems(before, after, path) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => changedFields(before[index], after[index], `${path}[${index}]`)).flat();
}
function memberPath(path, key) {
    if (!/^[A-Za-z_$][\w$]*$/.test(key))
        return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
}
function isMap(value) {
    return value !== undefined && isJsonObject(value) && !isPlaceholder(value);
}
