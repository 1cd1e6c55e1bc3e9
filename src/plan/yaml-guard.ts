import { CST, Lexer } from 'yaml';
import type { Problem } from './problems.js';
import type { Span } from './node.js';

/** Most tokens that are no space or text of a comment: parsing takes time and memory for each. */
const MAX_TOKENS = 100_000;

/** Tokens that cost next to nothing. */
const QUIET: ReadonlySet<CST.TokenType> = new Set(['space', 'newline', 'comment']);

/** Most refusals that are told before the rest of the text is left alone. */
const MAX_REFUSALS = 100;

/** Deepest nesting of maps and lists. */
export const MAX_DEPTH = 32;

/** What the tokens of a plan show before it is parsed. */
export interface Guarded {
  readonly problems: readonly Problem[];
  /** False: parsing it could cost more than a plan is worth. */
  readonly parse: boolean;
}

const REFUSED: Partial<Record<CST.TokenType, string>> = {
  anchor: 'Anchors (&name) are refused in plans',
  alias: 'Aliases (*name) are refused in plans',
  tag: 'Tags (!name) are refused in plans',
};

const FLOW_STEPS: Partial<Record<CST.TokenType, number>> = {
  'flow-map-start': 1,
  'flow-seq-start': 1,
  'flow-map-end': -1,
  'flow-seq-end': -1,
};

/** Block collections that can begin one inside the other on the same line. */
const LINE_STEPS: Partial<Record<CST.TokenType, number>> = { 'seq-item-ind': 1, 'explicit-key-ind': 1 };

/**
 * Looks at the tokens only, in one pass: finds anchors, aliases and tags, and nesting that would make a parser
 * recurse without end. A text that starts with `&`, `*` or `!` has to be quoted.
 */
export function guardYaml(text: string): Guarded {
  const problems: Problem[] = [];
  let flow = 0;
  let line = 0;
  let tokens = 0;
  for (const { type, source, span } of tokensOf(text)) {
    const refused = REFUSED[type];
    if (refused !== undefined) problems.push(refusal(refused, source, span));
    if (!QUIET.has(type)) tokens += 1;
    if (tokens > MAX_TOKENS) return { problems: [...problems, tooMany(span)], parse: false };
    if (problems.length >= MAX_REFUSALS) return { problems, parse: false };
    if (type === 'newline') line = 0;
    flow += FLOW_STEPS[type] ?? 0;
    if (flow < 0) return { problems: [...problems, unopened(source, span)], parse: false };
    line += LINE_STEPS[type] ?? 0;
    if (flow > MAX_DEPTH || line > MAX_DEPTH) return { problems: [...problems, tooDeep(span)], parse: false };
  }
  return { problems, parse: true };
}

interface GuardToken {
  readonly type: CST.TokenType;
  readonly source: string;
  readonly span: Span;
}

function* tokensOf(text: string): Generator<GuardToken> {
  let offset = 0;
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    // The lexer marks the start of documents and of scalars with tokens that are not in the text.
    if (source === CST.SCALAR || source === CST.DOCUMENT || source === CST.FLOW_END) {
      isScalar = source === CST.SCALAR;
      continue;
    }
    const span = { start: offset, end: offset + source.length };
    yield { type: isScalar ? 'scalar' : (CST.tokenType(source) ?? 'scalar'), source, span };
    offset = span.end;
    isScalar = false;
  }
}

/** The diagnostic for nesting beyond {@link MAX_DEPTH}. */
export function tooDeep(at: Span): Problem {
  return { code: 'PLAN_TOO_LARGE', at, message: `Maps and lists nest deeper than ${MAX_DEPTH} levels.` };
}

function tooMany(at: Span): Problem {
  const message = `The plan has more than ${MAX_TOKENS} keys, values and signs.`;
  return { code: 'PLAN_TOO_LARGE', at, message, fix: 'Move rows to CSV files.' };
}

function unopened(sign: string, at: Span): Problem {
  const message = `This is not valid YAML: ${sign} closes nothing.`;
  return { code: 'PLAN_SYNTAX', at, message, fix: 'Remove it, or quote the text that it belongs to.' };
}

function refusal(reason: string, token: string, at: Span): Problem {
  return {
    code: 'PLAN_FORBIDDEN_YAML',
    at,
    message: `${reason}; every value is written where it is used.`,
    fix: `Write the value out, or quote the text if it begins with ${token.slice(0, 1)}.`,
  };
}
