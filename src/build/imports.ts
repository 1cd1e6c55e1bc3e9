/** Longest import directive that is read, in marks: comments, strings and ends of statements. */
const MOST_MARKS = 1000;

/**
 * The paths that a Solidity source imports, as its string literals say, in the order of the text. Comments and strings
 * are left out. Takes time in proportion to the text, whatever is in it; what is no Solidity may give any list.
 */
export function importsIn(text: string): readonly string[] {
  const paths: string[] = [];
  const marks = marksOf(text);
  for (let mark = marks.next(); mark.done !== true; mark = marks.next()) {
    if (mark.value.kind !== 'import') continue;
    const path = pathAfter(marks);
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

/** What matters of a text. */
interface Mark {
  readonly kind: 'import' | 'end' | 'string';
  /** Value of a string. */
  readonly value: string;
}

/** The first string before the directive's end. */
function pathAfter(marks: Iterator<Mark>): string | undefined {
  for (let count = 0; count < MOST_MARKS; count += 1) {
    const mark = marks.next();
    if (mark.done === true || mark.value.kind === 'end') return undefined;
    if (mark.value.kind === 'string') return mark.value.value;
  }
  return undefined;
}

function* marksOf(text: string): Generator<Mark, undefined> {
  const next = /\/[/*]|["';]|\bimport\b/g;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    const [sign] = found;
    if (sign === '//') next.lastIndex = endOf(text, /[\n\r]/g, next.lastIndex);
    else if (sign === '/*') next.lastIndex = endOf(text, /\*\//g, next.lastIndex);
    else if (sign === ';') yield { kind: 'end', value: '' };
    else if (sign === 'import') yield { kind: 'import', value: '' };
    else {
      const end = endOfString(text, next.lastIndex, sign);
      yield { kind: 'string', value: unescaped(text.slice(next.lastIndex, end)) };
      next.lastIndex = end + 1;
    }
  }
}

/** Index behind the next match; the text's end where there is none. */
function endOf(text: string, what: RegExp, from: number): number {
  what.lastIndex = from;
  return what.exec(text) ? what.lastIndex : text.length;
}

/** Index of the closing quote; a string that is not closed ends with its line. */
function endOfString(text: string, from: number, quote: string): number {
  const sign = quote === '"' ? /["\\\n]/g : /['\\\n]/g;
  sign.lastIndex = from;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] !== '\\') return found.index;
    sign.lastIndex = found.index + 2;
  }
  return text.length;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|\n|(.))/g, (_, hex, unicode, char) => {
    const code: unknown = hex ?? unicode;
    return typeof code === 'string' ? String.fromCodePoint(Number.parseInt(code, 16)) : String(char ?? '');
  });
}
