import { WindlassError } from '../model/error.js';

/**
 * Reads `name=value` words.
 *
 * @throws CLI_USAGE for a word without `=`, and for a name given twice
 */
export function readPairs(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const cut = word.indexOf('=');
    const name = word.slice(0, cut);
    if (cut < 1 || pairs.has(name)) {
      const problem = cut < 1 ? `${word} is not name=value` : `${name} is given twice`;
      throw new WindlassError('CLI_USAGE', `${problem}.`, { advice: 'Write for example address=0x….' });
    }
    pairs.set(name, word.slice(cut + 1));
  }
  return Object.fromEntries(pairs);
}
