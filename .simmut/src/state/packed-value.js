/**
 * How the text in one hole of an event's form is kept: digests, addresses and hashes as bytes instead of digits, times as
 * decimal digits, everything else as it is. The tag says which; a tag below {@link TAGS.long} is the length of a text.
 */
export const TAGS = {
    long: 0x80,
    digest: 0x81,
    address: 0x82,
    hash: 0x83,
    time: 0x84,
    /** The attempt's own step, and the resource that it is for. */
    step: 0x85,
    id: 0x86,
    /** The same as an earlier value, whose offset follows. */
    same: 0x87,
};
/** Longest text that is kept; longer ones make their event one that is not packed. */
export const MAX_TEXT = 0xffff;
const DIGEST_PREFIX = bytesOf('sha256:');
const HEX_PREFIX = bytesOf('0x');
const TIME_PATTERN = bytesOf('0000-00-00T00:00:00.000Z');
const DIGIT_ZERO = 0x30;
const HEX_CHARS = '0123456789abcdef';
const NO_HEX = 0xff;
/** Value of a lower-case hex digit by its byte. */
const HEX = new Uint8Array(256).fill(NO_HEX);
for (let value = 0; value < 16; value += 1)
    HEX[HEX_CHARS.charCodeAt(value)] = value;
function bytesOf(text) {
    return new TextEncoder().encode(text);
}
/**
 * Writes a text in its shortest form.
 *
 * @returns the index after it. There has to be room for three bytes more than the text has.
 */
export function writePacked(target, at, text) {
    const length = text.to - text.from;
    if (length === 71 && begins(text, DIGEST_PREFIX))
        return writeHex(target, at, text, TAGS.digest);
    if (length === 66 && begins(text, HEX_PREFIX))
        return writeHex(target, at, text, TAGS.hash);
    if (length === 42 && begins(text, HEX_PREFIX))
        return writeHex(target, at, text, TAGS.address);
    if (length === TIME_PATTERN.length && isTime(text))
        return writeTime(target, at, text);
    return writeText(target, at, text);
}
function begins({ bytes, from }, prefix) {
    for (let index = 0; index < prefix.length; index += 1)
        if (bytes[from + index] !== prefix[index])
            return false;
    return true;
}
function writeText(target, start, { bytes, from, to }) {
    const length = to - from;
    let at = start;
    if (length < TAGS.long)
        target[at++] = length;
    else {
        target[at++] = TAGS.long;
        target[at++] = length >>> 8;
        target[at++] = length & 0xff;
    }
    for (let index = from; index < to; index += 1)
        target[at++] = bytes[index] ?? 0;
    return at;
}
function writeHex(target, start, text, tag) {
    const { bytes, from, to } = text;
    let at = start;
    target[at++] = tag;
    for (let index = from + (tag === TAGS.digest ? 7 : 2); index < to; index += 2) {
        const high = HEX[bytes[index] ?? 0] ?? NO_HEX;
        const low = HEX[bytes[index + 1] ?? 0] ?? NO_HEX;
        if ((high | low) > 15)
            return writeText(target, start, text);
        target[at++] = (high << 4) | low;
    }
    return at;
}
function isTime({ bytes, from }) {
    for (let index = 0; index < TIME_PATTERN.length; index += 1) {
        const byte = bytes[from + index] ?? 0;
        const wanted = TIME_PATTERN[index] ?? 0;
        if (wanted === DIGIT_ZERO ? byte < DIGIT_ZERO || byte > DIGIT_ZERO + 9 : byte !== wanted)
            return false;
    }
    return true;
}
/** Seventeen digits, two to a byte. */
function writeTime(target, start, { bytes, from }) {
    let at = start;
    target[at++] = TAGS.time;
    let high = -1;
    for (let index = 0; index < TIME_PATTERN.length; index += 1) {
        if (TIME_PATTERN[index] !== DIGIT_ZERO)
            continue;
        const digit = (bytes[from + index] ?? 0) - DIGIT_ZERO;
        if (high < 0)
            high = digit;
        else {
            target[at++] = (high << 4) | digit;
            high = -1;
        }
    }
    target[at++] = high << 4;
    return at;
}
/** How many bytes a packed value has, its tag included. */
export function packedLength(source, at) {
    const tag = source[at] ?? 0;
    switch (tag) {
        case TAGS.long:
            return 3 + ((source[at + 1] ?? 0) << 8) + (source[at + 2] ?? 0);
        case TAGS.digest:
        case TAGS.hash:
            return 33;
        case TAGS.address:
            return 21;
        case TAGS.time:
            return 10;
        case TAGS.step:
        case TAGS.id:
            return 1;
        case TAGS.same:
            return 5;
        default:
            return 1 + tag;
    }
}
/** The text of a packed value that stands for itself: every tag but `step`, `id` and `same`. */
export function readPacked(source, at) {
    const tag = source[at] ?? 0;
    if (tag < TAGS.long)
        return source.toString('utf8', at + 1, at + 1 + tag);
    const end = at + packedLength(source, at);
    if (tag === TAGS.long)
        return source.toString('utf8', at + 3, end);
    const digits = source.toString('hex', at + 1, end);
    if (tag === TAGS.time)
        return timeText(digits);
    return `${tag === TAGS.digest ? 'sha256:' : '0x'}${digits}`;
}
function timeText(digits) {
    const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`;
    const time = `${digits.slice(8, 10)}:${digits.slice(10, 12)}:${digits.slice(12, 14)}`;
    return `${day}T${time}.${digits.slice(14, 17)}Z`;
}
/** Writes an offset into a store in four bytes. @returns the index after it */
export function writeOffset(chunk, at, offset) {
    chunk[at] = offset >>> 24;
    chunk[at + 1] = offset >>> 16;
    chunk[at + 2] = offset >>> 8;
    chunk[at + 3] = offset;
    return at + 4;
}
/** Reads what {@link writeOffset} wrote. */
export function readOffset(chunk, at) {
    const high = ((chunk[at] ?? 0) << 24) | ((chunk[at + 1] ?? 0) << 16);
    return (high | ((chunk[at + 2] ?? 0) << 8) | (chunk[at + 3] ?? 0)) >>> 0;
}
