/** Keys of a plan whose values are secrets or personal data wherever they stand. */
const HIDDEN_KEYS: ReadonlySet<string> = new Set(['email', 'ic', 'client_id', 'client_secret', 'password']);

/** Maps of a plan that hold such values, so that what stands under a misspelt key is hidden, too. */
const HIDDEN_MAPS: ReadonlySet<string> = new Set(['create', 'credentials', 'signer']);

/** What may be shown inside such maps: no secret, or where one stands. */
const OPEN_KEYS: ReadonlySet<string> = new Set(['keystore', 'address', 'file']);

const KEY = /(?<=^|[\s{[,])(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_][\w-]*))\s*:(?=\s|$)/g;
/** A variable's name; what stands in its place by mistake may be the value itself. */
const VARIABLE = /^["']?[A-Za-z_]\w*["']?$/;
const REFERENCE = /^\{\s*(?:env\s*:\s*["']?[A-Za-z_]\w*["']?|file\s*:\s*[^\s{},]*)\s*\}$/;
const PRIVATE_KEY = /^["']?(?:0x)?[0-9a-f]{64}["']?$/i;

/** Lines above that are looked at for the map in which a line stands. */
const MOST_ABOVE = 1_000;

/**
 * One line of a plan as it may be shown: values of secrets and of personal data are masked unit by unit, so that
 * columns stay what they are. Where such a value comes from (`{ env: NAME }`) is shown. Works on the text alone,
 * because what is shown is often what could not be parsed; in doubt it hides.
 */
export function concealedLine(lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  const keys = keysIn(line);
  const above = keysAbove(lines, index);
  const hides = above.some((key) => HIDDEN_KEYS.has(key)) || above.some((key) => HIDDEN_MAPS.has(key));
  if (keys.length === 0) return hides ? masked(line, indentOf(line), line.length) : line;
  let shown = line;
  /** Where a map that hides everything ends. */
  let hiddenUntil = hides ? line.length : 0;
  for (const { name, end: from } of keys) {
    const until = valueEnd(line, from);
    const value = line.slice(from, until).trim();
    if (isHidden(name, value, from < hiddenUntil)) shown = masked(shown, from, until);
    if (HIDDEN_MAPS.has(name) && value.startsWith('{')) hiddenUntil = Math.max(hiddenUntil, until);
  }
  return shown;
}

function isHidden(name: string, value: string, inside: boolean): boolean {
  if (HIDDEN_MAPS.has(name)) {
    const scalar = !value.startsWith('{') && value !== '';
    return scalar && (name !== 'signer' || PRIVATE_KEY.test(value));
  }
  if (inside && name === 'env') return !VARIABLE.test(value);
  return (HIDDEN_KEYS.has(name) || (inside && !OPEN_KEYS.has(name))) && !REFERENCE.test(value);
}

/** Keys of a line, and where their values begin. */
function keysIn(line: string): readonly { readonly name: string; readonly end: number }[] {
  return [...line.matchAll(KEY)].map((match) => ({
    name: match[1] ?? match[2] ?? match[3] ?? '',
    end: match.index + match[0].length,
  }));
}

/** The keys of the lines that a line is indented under. */
function keysAbove(lines: readonly string[], index: number): readonly string[] {
  const keys: string[] = [];
  let indent = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= Math.max(0, index - MOST_ABOVE) && indent > 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    keys.push(...keysIn(line).map(({ name }) => name));
  }
  return keys;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Where a value ends that begins after `from`: at its bracket or quote; a plain one at a comma of a flow map, else with the line. */
function valueEnd(line: string, from: number): number {
  const start = from + indentOf(line.slice(from));
  const first = line[start] ?? '';
  if (first === '{' || first === '[') return bracketEnd(line, start);
  if (first === '"' || first === "'") {
    const close = line.indexOf(first, start + 1);
    return close === -1 ? line.length : close + 1;
  }
  const isFlow = /[{[]/.test(line.slice(0, start));
  const rest = isFlow ? line.slice(start).search(/[,}\]]/) : -1;
  return rest === -1 ? line.length : start + rest;
}

function bracketEnd(line: string, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return line.length;
}

function masked(line: string, from: number, until: number): string {
  return line.slice(0, from) + line.slice(from, until).replace(/\S/g, '•') + line.slice(until);
}
