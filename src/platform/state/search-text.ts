/** Most characters of what is kept of a thing for searching. */
const KEPT = 1000;

/**
 * Texts as the column of a searched table keeps them: in small letters, each on a line, cut to 1,000 characters, so that
 * a search reads little of each row; without what databases do not keep.
 */
export function searchText(texts: readonly string[]): string {
  return texts
    .join('\n')
    .slice(0, KEPT)
    .replace(/[\0\p{Cs}]/gu, ' ')
    .normalize('NFC')
    .toLowerCase();
}

/**
 * Patterns for `lower(column) LIKE ? ESCAPE '!'` that find a text anywhere. The database puts no letters into small
 * ones but those of ASCII, so a text with others is looked for as it was typed, in small and in capital letters.
 * Wildcards in the text stand for themselves.
 */
export function searchPatterns(text: string): readonly [string, string, string] {
  const plain = text.normalize('NFC').replace(/[!%_]/g, '!$&');
  const pattern = (spelling: string): string =>
    `%${spelling.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())}%`;
  return [pattern(plain.toLowerCase()), pattern(plain), pattern(plain.toUpperCase())];
}
