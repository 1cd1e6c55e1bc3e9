/** Longest message kept from a foreign text, in characters. */
const MAX_LENGTH = 500;
/** What stands where a secret stood. */
const MASK = '•••';
/** Secrets shorter than this are masked only as whole words: masking every `a` would destroy the message. */
const MIN_PART = 4;
/**
 * C0 and C1 controls, line and paragraph separators, zero-width and bidirectional marks: what could move the
 * cursor, hide text or turn it round on a terminal (reliability §6.16).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/**
 * A foreign text made fit for messages, journal and terminal: secrets masked in every spelling in which a service
 * might give them back, control characters escaped as `\u{…}`, at most 500 characters. Masked before it is cut, so
 * that no half of a secret stays.
 *
 * @param secrets credentials, tokens and personal values that went into the request; empty ones are ignored
 */
export function cleanMessage(text, secrets) {
    const shown = maskSecrets(text, secrets).replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
    return shown.length <= MAX_LENGTH ? shown : `${shown.slice(0, MAX_LENGTH - 1)}…`;
}
function maskSecrets(text, secrets) {
    const spellings = new Set(secrets.filter((secret) => secret.trim() !== '').flatMap(spellingsOf));
    if (spellings.size === 0)
        return text;
    const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
    const patterns = longestFirst.map((spelling) => spelling.length < MIN_PART ? `(?<!\\w)${quoted(spelling)}(?!\\w)` : quoted(spelling));
    return text.replace(new RegExp(patterns.join('|'), 'giu'), MASK);
}
/** Raw, JSON-escaped, URL-encoded, hexadecimal, base64 in any alignment, and without punctuation. */
function spellingsOf(secret) {
    const plain = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        JSON.stringify(secret)
            .slice(1, -1)
            .replaceAll('/', String.raw `\/`),
        encodeURIComponent(secret),
        encodeURIComponent(secret).replaceAll('%20', '+'),
    ];
    if (secret.length < MIN_PART)
        return plain;
    const bare = secret.replace(/[^\p{L}\p{N}]/gu, '');
    const packed = [0, 1, 2].flatMap((offset) => base64At(secret, offset)).filter((part) => part.length >= 6);
    return [...plain, ...(bare.length < 6 ? [] : [bare]), Buffer.from(secret).toString('hex'), ...packed];
}
/** The part of base64 that depends on the secret alone when `offset` bytes stand before it. */
function base64At(secret, offset) {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const first = Math.ceil((offset * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    const standard = bytes.toString('base64').slice(first, end);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
}
function quoted(text) {
    return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw `\$&`);
}
