import { KIND_NAMES } from '../model/id.js';
const HASH = 0x23;
const DOT = 0x2e;
const ZERO = 0x30;
/** Digits of a number that is exact. */
const MAX_DIGITS = 15;
const KINDS = KIND_NAMES.map((name) => new TextEncoder().encode(`${name}.`));
/**
 * Where the resource's id ends in the bytes of a step's id, `ID#attempt`; -1 when it is not one. The same rule as
 * `parseStepId` of `model/id.ts`, without making text of every line of a journal.
 */
export function idEndOf(bytes, from, to) {
    let at = to;
    while (at > from && isDigit(bytes[at - 1] ?? 0))
        at -= 1;
    const digits = to - at;
    const isStep = digits > 0 && digits <= MAX_DIGITS && bytes[at] !== ZERO && bytes[at - 1] === HASH;
    return isStep && at - 1 > from && isResource(bytes, from, at - 1) ? at - 1 : -1;
}
/** The number of the attempt, whose digits these are. */
export function attemptOf(bytes, from, to) {
    let number = 0;
    for (let at = from; at < to; at += 1)
        number = 10 * number + (bytes[at] ?? 0) - ZERO;
    return number;
}
function isResource(bytes, from, to) {
    let dot = from;
    while (dot < to && bytes[dot] !== DOT)
        dot += 1;
    if (dot + 1 >= to)
        return false;
    for (const kind of KINDS)
        if (kind.length === dot + 1 - from && begins(bytes, from, kind))
            return true;
    return false;
}
function begins(bytes, from, kind) {
    for (let index = 0; index < kind.length; index += 1)
        if (bytes[from + index] !== kind[index])
            return false;
    return true;
}
function isDigit(byte) {
    return byte >= ZERO && byte <= ZERO + 9;
}
