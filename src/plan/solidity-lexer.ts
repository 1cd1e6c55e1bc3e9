/** A token of Solidity source; offsets in UTF-16 units. Strings keep their quotes. */
export interface SolidityToken {
  readonly type: 'word' | 'string' | 'number' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /[0-9][\w.]*/y;
const SPACE = /\s+/y;
const REST_OF_LINE = /[^\n\r]*/y;

/**
 * Takes Solidity of any version apart, without comments. It is exact for what Windlass looks for (words, strings,
 * brackets) and never refuses: of an unclosed string the rest of the line is one mark, of an unclosed comment the rest of
 * the text. Each character is looked at once or twice, whatever the text.
 */
export function* solidityTokens(source: string): Generator<SolidityToken> {
  let at = 0;
  while (at < source.length) {
    const blank = endOfBlank(source, at);
    if (blank > at) {
      at = blank;
      continue;
    }
    const token = tokenAt(source, at);
    yield token;
    at = token.end;
  }
}

/** Where the space or comment that begins at `at` is over; `at` itself when none does. */
function endOfBlank(source: string, at: number): number {
  if (source.startsWith('//', at)) return endOf(REST_OF_LINE, source, at);
  if (source.startsWith('/*', at)) {
    const end = source.indexOf('*/', at + 2);
    return end < 0 ? at : end + 2;
  }
  return endOf(SPACE, source, at);
}

function tokenAt(source: string, start: number): SolidityToken {
  const sign = source.charAt(start);
  const wordEnd = endOf(WORD, source, start);
  if (wordEnd > start) return cut(source, 'word', start, wordEnd);
  if (sign === '"' || sign === "'") {
    const end = endOfString(source, start);
    return end === undefined
      ? cut(source, 'mark', start, endOf(REST_OF_LINE, source, start))
      : cut(source, 'string', start, end);
  }
  const numberEnd = endOf(NUMBER, source, start);
  if (numberEnd > start) return cut(source, 'number', start, numberEnd);
  // What opens a comment here is never closed.
  const isComment = source.startsWith('/*', start);
  return cut(source, 'mark', start, isComment ? source.length : start + 1);
}

/** Where a string is over, behind its quote; undefined when its line ends first. A backslash takes what follows along. */
function endOfString(source: string, start: number): number | undefined {
  const quote = source.charCodeAt(start);
  for (let at = start + 1; at < source.length; at += 1) {
    const sign = source.charCodeAt(at);
    if (sign === quote) return at + 1;
    if (sign === BACKSLASH) at += 1;
    else if (sign === LINE_FEED || sign === CARRIAGE_RETURN) return undefined;
  }
  return undefined;
}

const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function endOf(expression: RegExp, source: string, at: number): number {
  expression.lastIndex = at;
  return at + (expression.exec(source)?.[0].length ?? 0);
}

function cut(source: string, type: SolidityToken['type'], start: number, end: number): SolidityToken {
  return { type, text: source.slice(start, end), start, end };
}
