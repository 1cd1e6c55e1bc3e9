/** Longest import directive that is read, in tokens; the names between braces are few. */
const MOST_TOKENS = 5000;

/**
 * The paths that a Solidity source imports, as its string literals say, in the order of the text. Comments and strings
 * are left out. Takes time in proportion to the text, whatever is in it; what is no Solidity may give any list.
 */
export function importsIn(text: string): readonly string[] {
  const paths: string[] = [];
  const tokens = tokensOf(text);
  for (let token = tokens.next(); !token.done; token = tokens.next()) {
    if (token.value.text !== 'import') continue;
    const path = pathAfter(tokens);
    if (path !== undefined) paths.push(path);
  }
  return paths;
}

/**
 * The name of the source that a path means, as the compiler joins them: a path that begins with a dot is relative to the
 * folder of the importing source.
 */
export function sourceName(path: string, importer: string): string {
  if (!/^\.\.?(\/|$)/.test(path)) return path;
  const parts = importer.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

interface Token {
  readonly text: string;
  readonly isString: boolean;
}

/** The first string before the directive's end. */
function pathAfter(tokens: Iterator<Token>): string | undefined {
  for (let count = 0; count < MOST_TOKENS; count += 1) {
    const token = tokens.next();
    if (token.done === true || token.value.text === ';') return undefined;
    if (token.value.isString) return token.value.text;
  }
  return undefined;
}

/** Words, strings and single signs. A string's text is its value; other texts are as they stand. */
function* tokensOf(text: string): Generator<Token, undefined> {
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    const next = text[at + 1];
    if (char === '/' && next === '/') at = endOfLine(text, at);
    else if (char === '/' && next === '*') at = after(text.indexOf('*/', at + 2), 2, text);
    else if (char === '"' || char === "'") {
      const end = endOfString(text, at, char);
      yield { text: unescaped(text.slice(at + 1, end)), isString: true };
      at = end + 1;
    } else if (isWord(char)) {
      const end = endOfWord(text, at);
      yield { text: text.slice(at, end), isString: false };
      at = end;
    } else {
      if (char === ';') yield { text: char, isString: false };
      at += 1;
    }
  }
}

function after(found: number, length: number, text: string): number {
  return found === -1 ? text.length : found + length;
}

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** Index of the closing quote; a string that is not closed ends with its line. */
function endOfString(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

function isWord(char: string): boolean {
  return /[A-Za-z0-9_$]/.test(char);
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWord(text[at] ?? '')) at += 1;
  return at;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|\n|(.))/g, (_, hex, unicode, char) => {
    const code: unknown = hex ?? unicode;
    return typeof code === 'string' ? String.fromCodePoint(Number.parseInt(code, 16)) : String(char ?? '');
  });
}
