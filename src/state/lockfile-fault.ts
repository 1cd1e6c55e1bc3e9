import { WindlassError } from '../model/error.js';

/** What the files of a lockfile are called, as people find them. */
export interface LockfileNames {
  readonly main: string;
  /** The sidecar of a batch. */
  batch(name: string): string;
}

/** Names where a text is read that is no file. */
export const UNNAMED: LockfileNames = {
  main: 'the lockfile',
  batch: (name) => `the rows of batch ${name}`,
};

/** What is wrong with a text, and where: a line from 1, where it can be told. */
export class LockfileFault extends Error {
  readonly line: number | undefined;

  constructor(why: string, line?: number) {
    super(why);
    this.name = 'LockfileFault';
    this.line = line;
  }
}

/**
 * Reads one text of a lockfile.
 *
 * @throws LOCK_UNREADABLE with file and line in place of a {@link LockfileFault}
 */
export function readingOf<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof LockfileFault)) throw thrown;
    const place = thrown.line === undefined ? file : `${file}:${thrown.line}`;
    throw new WindlassError('LOCK_UNREADABLE', `${capital(place)}: ${thrown.message}.`);
  }
}

/** The line of a text in which a part of it begins; undefined when it is not in it. */
export function lineOf(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at < 0 ? undefined : lineAt(text, at);
}

type Expected = 'value' | 'item' | 'name' | 'member' | 'colon' | 'next' | 'nothing';

/** A sign, a string, or another scalar, with the space before it. */
const TOKEN =
  /\s*(?:([{}[\],:])|("[^"\\\n]*(?:\\.[^"\\\n]*)*")|(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.]))/y;

/**
 * The first place at which a text is not sound JSON, or at which a name stands twice in one object, of which readers would
 * take either; undefined when there is none. What a parser says of it names no line.
 */
export function jsonFault(text: string): LockfileFault | undefined {
  const walk = new JsonWalk();
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) return endFault(text, from, walk.expected);
    const why = walk.take(found[1], found[2]);
    const at = from + found[0].length - found[0].trimStart().length;
    if (why !== undefined) return new LockfileFault(why, lineAt(text, at));
  }
}

const NOT_JSON = 'it is not JSON from here on';

/** Where a reader of JSON stands, token by token. */
class JsonWalk {
  expected: Expected = 'value';
  /** Names so far of each open object; undefined for an open list. */
  readonly #open: (Set<string> | undefined)[] = [];

  /** Takes the next token. @returns what is wrong with it */
  take(sign: string | undefined, quoted: string | undefined): string | undefined {
    if (sign !== undefined) return this.#sign(sign) ? undefined : NOT_JSON;
    if (quoted !== undefined && textIn(quoted) === undefined) return NOT_JSON;
    if (quoted !== undefined && (this.expected === 'name' || this.expected === 'member'))
      return this.#name(quoted);
    return this.#value() ? this.#end() : NOT_JSON;
  }

  /** @returns false for one that may not stand here */
  #sign(sign: string): boolean {
    if (sign === '{' || sign === '[') return this.#begin(sign);
    if (sign === '}' || sign === ']') return this.#close(sign);
    const names = this.#open.at(-1);
    const fits = this.expected === (sign === ',' ? 'next' : 'colon');
    this.expected = sign === ',' && names !== undefined ? 'name' : 'value';
    return fits;
  }

  #value(): boolean {
    return this.expected === 'value' || this.expected === 'item';
  }

  #begin(sign: string): boolean {
    const fits = this.#value();
    this.#open.push(sign === '{' ? new Set() : undefined);
    this.expected = sign === '{' ? 'member' : 'item';
    return fits;
  }

  #close(sign: string): boolean {
    const mayEnd = this.#open.at(-1) === undefined ? 'item' : 'member';
    const fits = this.expected === 'next' || this.expected === mayEnd;
    const opened = this.#open.at(-1) === undefined ? ']' : '}';
    const isOpen = this.#open.length > 0;
    this.#open.pop();
    this.#end();
    return fits && isOpen && sign === opened;
  }

  #end(): undefined {
    this.expected = this.#open.length === 0 ? 'nothing' : 'next';
  }

  #name(quoted: string): string | undefined {
    const names = this.#open.at(-1);
    const name = textIn(quoted) ?? '';
    if (names?.has(name) === true) return `${quoted} stands there twice`;
    names?.add(name);
    this.expected = 'colon';
    return undefined;
  }
}

function textIn(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function endFault(text: string, from: number, expected: Expected): LockfileFault | undefined {
  const rest = text.slice(from).trimStart();
  const at = text.length - rest.length;
  if (rest === '' && expected === 'nothing') return undefined;
  // A string that has no end is cut, too.
  const isCut = rest === '' || /^"(?:[^"\\\n]|\\.)*$/.test(rest);
  const why = isCut ? 'it is cut short' : NOT_JSON;
  return new LockfileFault(why, lineAt(text, isCut ? text.trimEnd().length : at));
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function capital(text: string): string {
  return text.startsWith('the ') ? `T${text.slice(1)}` : text;
}
