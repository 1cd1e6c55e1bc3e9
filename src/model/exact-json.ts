/** Something that a JSON text says and that its value, written down again, would not say so. */
export interface Inexactness {
  /** Names and indexes from the top, with dots between: `metadata.rows.0.total`. Empty for the whole text. */
  readonly path: string;
  /**
   * `number`: another number; `twice`: a member given twice, of which the last one counts; `spelling`: the same number
   * written otherwise (`1.0`, `1e3`); `order`: members whose names are whole numbers come first.
   */
  readonly fault: 'number' | 'twice' | 'spelling' | 'order';
}

/** The faults that change what a text says; the others change how it says it. */
export function isLoss({ fault }: Inexactness): boolean {
  return fault === 'number' || fault === 'twice';
}

/** More than anybody reads. */
const MOST = 20;

/** An open object or array; `names` of an object only. */
interface Level {
  readonly names: Set<string> | undefined;
  at: string | number;
  lastIndex: number;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_NUMBER = /^(?:0|-?[1-9]\d{0,14})$/;
/** The names that an object keeps in front, in their own order. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const LAST_INDEX = 4_294_967_294;

/**
 * What would be lost or changed when a JSON text is parsed and written down again, white space and escapes aside; at
 * most 20, in the order of the text. One pass, without recursion.
 *
 * @param text that JSON.parse takes
 */
export function inexactnesses(text: string): readonly Inexactness[] {
  const found: Inexactness[] = [];
  const open: Level[] = [];
  for (let at = 0; at < text.length && found.length < MOST;) {
    const { end, fault } = readToken(text, at, open);
    if (fault !== undefined) found.push({ path: open.map((level) => String(level.at)).join('.'), fault });
    at = end;
  }
  return found;
}

/** What stands at a place, and where it is over. */
interface Token {
  readonly end: number;
  readonly fault?: Inexactness['fault'] | undefined;
}

/** Reads the token at a place into the levels that are open. */
function readToken(text: string, at: number, open: Level[]): Token {
  const sign = text[at] ?? '';
  if (sign === '"') return readString(text, at, open.at(-1));
  if (sign === '-' || (sign >= '0' && sign <= '9')) {
    const written = numberAt(text, at);
    return { end: at + written.length, fault: numberFault(written) };
  }
  if (sign === '{') open.push({ names: new Set(), at: '', lastIndex: -1 });
  else if (sign === '[') open.push({ names: undefined, at: 0, lastIndex: -1 });
  else if (sign === '}' || sign === ']') open.pop();
  else if (sign === ',') countItem(open.at(-1));
  return { end: at + 1 };
}

function readString(text: string, at: number, level: Level | undefined): Token {
  const end = endOfString(text, at);
  if (level?.names === undefined || !isName(text, end)) return { end };
  return { end, fault: nameFault(level, text.slice(at, end)) };
}

function countItem(level: Level | undefined): void {
  if (typeof level?.at === 'number') level.at += 1;
}

/** Where the string that begins at `start` is over: behind its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}

function nameFault(level: Level, quoted: string): 'twice' | 'order' | undefined {
  // Decoded, because `"\u0061"` is the name `"a"`.
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  const { names } = level;
  const isTwice = names?.has(name) === true;
  const index = INDEX.test(name) && Number(name) <= LAST_INDEX ? Number(name) : undefined;
  const isMoved = index !== undefined && index < level.lastIndex;
  level.at = name;
  level.lastIndex = index ?? Number.POSITIVE_INFINITY;
  names?.add(name);
  if (isTwice) return 'twice';
  return isMoved ? 'order' : undefined;
}

function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)?.[0] ?? text.slice(start, start + 1);
}

function numberFault(written: string): 'number' | 'spelling' | undefined {
  if (PLAIN_NUMBER.test(written)) return undefined;
  const again = String(Number(written));
  if (again === written) return undefined;
  return decimalOf(again) === decimalOf(written) ? 'spelling' : 'number';
}

/** Characters of an exponent; a number with a longer one is zero, infinite, or not worth the digits. */
const LONGEST_POWER = 6;

/** The one text of a decimal number, whatever its spelling: digits without zeros at the ends, and their power of ten. */
function decimalOf(written: string): string {
  const [, sign = '', whole, fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  if (whole === undefined || power.length > LONGEST_POWER) return written;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const end = trimmedLength(digits);
  const exponent = Number(power) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(0, end)}e${String(exponent)}`;
}

/** Length without the zeros at the end. */
function trimmedLength(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end;
}
