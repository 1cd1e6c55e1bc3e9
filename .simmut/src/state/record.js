/** The hash before the first record. */
export const CHAIN_START = '';
/** Hex digits of a record's hash. */
export const HASH_DIGITS = 32;
/** What stands before a record's hash. */
export const OPENING = '{"h":"';
/** Between a record's hash and its event. */
export const MIDDLE = '","e":';
/** How the line of a record with this hash begins. */
export function recordOpening(hash) {
    return `${OPENING}${hash}${MIDDLE}`;
}
