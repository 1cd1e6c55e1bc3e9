/** A token of Solidity source; offsets in UTF-16 units. Strings keep their quotes. */
export interface SolidityToken {
  readonly type: 'word' | 'string' | 'number' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n\r]*|\/\*[^]*?\*\/)+/y;
const TOKEN = /([A-Za-z_$][\w$]*)|("(?:[^"\\\n\r]|\\[^])*"|'(?:[^'\\\n\r]|\\[^])*')|([0-9][\w.]*)|[^]/y;

/**
 * Takes Solidity of any version apart, without comments. It is exact for what Windlass looks for (words, strings,
 * brackets) and never refuses: an unclosed string or comment comes out as single marks.
 */
export function* solidityTokens(source: string): Generator<SolidityToken> {
  let at = 0;
  while (at < source.length) {
    SPACE_OR_COMMENT.lastIndex = at;
    at += SPACE_OR_COMMENT.exec(source)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) return;
    const type = match[1] ? 'word' : match[2] ? 'string' : match[3] ? 'number' : 'mark';
    yield { type, text: match[0], start: at, end: at + match[0].length };
    at += match[0].length;
  }
}
