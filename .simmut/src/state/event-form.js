/** A view of bytes. */
export function viewOf(bytes) {
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
/** More holes than any event needs. */
export const MAX_HOLES = 256;
/** Digits of a number that every reader keeps exactly. */
const MAX_DIGITS = 15;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
/**
 * True when the bytes are an event of this form.
 *
 * @param bytes UTF-8
 * @param holes takes start and end of each hole
 */
export function fitsForm({ literals, words, ends, texts }, { bytes, view }, { start, end }, holes) {
    if (end - start < literals.length)
        return false;
    const count = texts.length;
    let at = start;
    let index = 0;
    for (let part = 0; part <= count; part += 1) {
        const literalEnd = ends[part] ?? 0;
        if (at + literalEnd - index > end)
            return false;
        // Four bytes at a time: this is where the time of reading goes.
        for (; index + 4 <= literalEnd; index += 4, at += 4)
            if (view.getUint32(at) !== words.getUint32(index))
                return false;
        for (; index < literalEnd; index += 1, at += 1)
            if (bytes[at] !== literals[index])
                return false;
        if (part === count)
            break;
        holes[2 * part] = at;
        at = texts[part] === 1 ? textEnd(bytes, at, end) : numberEnd(bytes, at, end);
        if (at < 0)
            return false;
        holes[2 * part + 1] = at;
    }
    return at === end;
}
/** Where a string without escapes ends; -1 when it has some, or does not end. */
export function textEnd(bytes, start, end) {
    let at = start;
    while (at < end && ENDING[bytes[at] ?? 0] === 0)
        at += 1;
    return at < end && bytes[at] === QUOTE ? at : -1;
}
/** By byte: 1 for what no string holds as it is. */
const ENDING = new Uint8Array(256).fill(1, 0, SPACE);
ENDING[QUOTE] = 1;
ENDING[BACKSLASH] = 1;
/** Where a whole number ends; -1 when it is none, or too long to be exact. */
export function numberEnd(bytes, start, end) {
    let at = start;
    while (at < end && isDigit(bytes[at] ?? 0))
        at += 1;
    const length = at - start;
    return length === 0 || length > MAX_DIGITS || (length > 1 && bytes[start] === ZERO) ? -1 : at;
}
function isDigit(byte) {
    return byte >= ZERO && byte <= NINE;
}
