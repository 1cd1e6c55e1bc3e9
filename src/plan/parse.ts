import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { MARKS } from '../model/value.js';
import type { Entry, PlanNode, ScalarNode, Span } from './node.js';
import type { Problems } from './problems.js';
import { guardYaml, MAX_DEPTH, tooDeep } from './yaml-guard.js';

/** Largest plan in bytes. */
const MAX_PLAN_BYTES = 256 * 1024;

/** Keys that would reach an object's prototype somewhere, or that mark values inside Windlass. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', ...MARKS]);
const BRACE_TOKEN = /^(?:[\w-]+\.)?[\w-]+_ADDRESS$/;
const SAFE_INTEGER = /^-?(?:0|[1-9][0-9]{0,14})$/;

interface Reading {
  readonly text: string;
  readonly problems: Problems;
}

/**
 * Reads YAML text into nodes with offsets. Only `true`, `false`, `null` (or nothing) and plain decimal integers
 * of up to 15 digits become anything but text, so that addresses, `007`, `1.10` and long integers stay exact.
 * Anchors, aliases, merges, tags, duplicate and reserved keys are reported; their places become broken nodes.
 *
 * @returns undefined when the text is no YAML at all, too large or too deep
 */
export function parsePlan(text: string, problems: Problems): PlanNode | undefined {
  const whole = { start: 0, end: 0 };
  if (Buffer.byteLength(text) > MAX_PLAN_BYTES) {
    const message = `The plan is larger than ${MAX_PLAN_BYTES / 1024} kB.`;
    problems.report({ code: 'PLAN_TOO_LARGE', at: whole, message, fix: 'Move rows to CSV files.' });
    return undefined;
  }
  const lost = text.indexOf('\uFFFD');
  if (lost >= 0) {
    const message = 'The plan is not UTF-8 here, or a character was lost when it was converted.';
    const at = { start: lost, end: lost + 1 };
    problems.report({ code: 'PLAN_SYNTAX', at, message, fix: 'Save the plan as UTF-8.' });
  }
  const guarded = guardYaml(text);
  for (const problem of guarded.problems) problems.report(problem);
  if (!guarded.parse) return undefined;
  const document = parseDocument<Node, false>(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const errors = document.errors.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED' && code !== 'BAD_ALIAS');
  for (const { code, message, pos } of errors) {
    const at = { start: pos[0], end: Math.max(pos[1], pos[0] + 1) };
    const why = code === 'MULTIPLE_DOCS' ? 'a plan is one document, and `---` begins another.' : message;
    problems.report({ code: 'PLAN_SYNTAX', at, message: `This is not valid YAML: ${sentence(why)}` });
  }
  if (errors.length > 0) return undefined;
  return nodeOf(document.contents, { text, problems }, whole, 0);
}

/** What would arrive as another text: half a character has no UTF-8, and a NUL ends a text for many readers. */
const UNSENDABLE = /[\0\p{Cs}]/u;

function nodeOf(node: Node | null, reading: Reading, empty: Span, depth: number): PlanNode {
  const span = spanOf(node) ?? empty;
  if (depth > MAX_DEPTH) {
    reading.problems.report(tooDeep({ start: span.start, end: span.start + 1 }));
    return { type: 'broken', span };
  }
  if (isMap(node)) return mapOf(node, reading, span, depth);
  if (isSeq(node)) {
    const items = node.items.map((item) => nodeOf(item as Node | null, reading, span, depth + 1));
    return { type: 'list', items, span };
  }
  if (isScalar(node)) {
    const text = textOfScalar(node);
    if (UNSENDABLE.test(text)) {
      const message =
        'This text holds a NUL or half of a character (\\ud800 to \\udfff), which no request can carry.';
      reading.problems.report({ code: 'PLAN_SYNTAX', at: span, message, fix: 'Write the character whole.' });
      return { type: 'broken', span };
    }
    return scalarNode(text, node.type === 'PLAIN', span);
  }
  if (isAlias(node)) return { type: 'broken', span };
  return { type: 'scalar', value: null, text: '', span };
}

function scalarNode(text: string, plain: boolean, span: Span): ScalarNode {
  return { type: 'scalar', value: plain ? plainScalar(text) : text, text, span };
}

/** The failsafe schema makes every scalar text. */
function textOfScalar({ value }: Scalar): string {
  return typeof value === 'string' ? value : '';
}

function plainScalar(text: string): ScalarNode['value'] {
  if (text === '' || text === 'null' || text === '~') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return SAFE_INTEGER.test(text) && text !== '-0' ? Number(text) : text;
}

function mapOf(map: YAMLMap, reading: Reading, span: Span, depth: number): PlanNode {
  const braces = unquotedBraces(map, reading.text, span);
  if (braces !== undefined) {
    reading.problems.report({
      code: 'PLAN_BRACE_MAP',
      at: span,
      message: `Unquoted braces are a YAML map, not ${braces}.`,
      fix: `Quote it: "${reading.text.slice(span.start, span.end)}"`,
    });
    return { type: 'broken', span };
  }
  const entries = new Map<string, Entry>();
  for (const pair of map.items as Pair<Node | null, Node | null>[]) {
    const entry = entryOf(pair, reading, span, depth);
    if (entry === undefined || !isKeyAllowed(entry, entries, reading.problems)) continue;
    entries.set(entry.key, entry);
  }
  return { type: 'map', entries, span };
}

function entryOf(
  pair: Pair<Node | null, Node | null>,
  reading: Reading,
  span: Span,
  depth: number,
): Entry | undefined {
  const keySpan = spanOf(pair.key) ?? span;
  const value = nodeOf(pair.value, reading, keySpan, depth + 1);
  if (isAlias(pair.key)) return undefined;
  if (!isScalar(pair.key) || textOfScalar(pair.key) === '') {
    const message = 'A key has to be text.';
    reading.problems.report({
      code: 'PLAN_SYNTAX',
      at: keySpan,
      message,
      fix: 'Write a name before the colon.',
    });
    return undefined;
  }
  return { key: textOfScalar(pair.key), keySpan, value };
}

function isKeyAllowed(entry: Entry, before: ReadonlyMap<string, Entry>, problems: Problems): boolean {
  const { key, keySpan: at } = entry;
  if (key === '<<') {
    const message = 'Merge keys (<<) are refused in plans; every value is written where it is used.';
    problems.report({ code: 'PLAN_FORBIDDEN_YAML', at, message, fix: 'Write the merged keys out.' });
    return false;
  }
  if (RESERVED.has(key)) {
    problems.report({ code: 'PLAN_RESERVED_KEY', at, message: `The key "${key}" is reserved.` });
    return false;
  }
  const first = before.get(key);
  if (first === undefined) return true;
  const line = problems.positionOf(first.keySpan.start).line;
  const message = `The key "${key}" stands in this map already, on line ${line}.`;
  problems.report({ code: 'PLAN_DUPLICATE_KEY', at, message, fix: 'Remove one of the two.' });
  return false;
}

/** What `{Token_ADDRESS}` and `{{column}}` without quotes were meant to be. */
function unquotedBraces(map: YAMLMap, text: string, span: Span): string | undefined {
  const [only, ...others] = map.items as Pair<Node | null, Node | null>[];
  if (map.flow !== true || only === undefined || others.length > 0) return undefined;
  if (text.startsWith('{{', span.start)) return 'a template';
  const bare = only.value === null || (isScalar(only.value) && only.value.value === '');
  return bare && isScalar(only.key) && BRACE_TOKEN.test(textOfScalar(only.key)) ? 'a placeholder' : undefined;
}

function spanOf(node: Node | null): Span | undefined {
  return node?.range ? { start: node.range[0], end: node.range[1] } : undefined;
}

function sentence(message: string): string {
  const text = message.split('\n', 1)[0] ?? '';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
