/** A piece of a template: text as it is, or the name of a value. */
export type TemplatePiece =
  | string
  | { readonly type: 'variable'; readonly name: string; readonly source: string }
  | { readonly type: 'column'; readonly name: string; readonly source: string };

/** A template taken apart, or why it cannot be; `source` is the guilty part of its text. */
export type TemplateReading =
  | { readonly ok: true; readonly pieces: readonly TemplatePiece[] }
  | { readonly ok: false; readonly reason: string; readonly source: string };

/** Takes templates apart. */
export type TemplateReader = (text: string) => TemplateReading;

const PLAIN = /\{\{\s*(?:(vars)\.)?([A-Za-z_][\w-]*)\s*\}\}/g;

/**
 * The pieces of a text whose templates are all of the plain form `{{column}}` or `{{vars.NAME}}`; undefined when
 * one is not, or when a backslash or a third brace may change its meaning.
 */
export function plainPieces(text: string): readonly TemplatePiece[] | undefined {
  const pieces: TemplatePiece[] = [];
  let from = 0;
  for (const match of text.matchAll(PLAIN)) {
    const [source, vars, name = ''] = match;
    const end = match.index + source.length;
    if (/[\\{]/.test(text.charAt(match.index - 1)) || text[end] === '}' || RESERVED.has(name))
      return undefined;
    if (match.index > from) pieces.push(text.slice(from, match.index));
    pieces.push({ type: vars === undefined ? 'column' : 'variable', name, source });
    from = end;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces.some((piece) => typeof piece === 'string' && piece.includes('{{')) ? undefined : pieces;
}

/** Words that Handlebars reads as literals or as the context. */
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'undefined', 'this', 'else', 'as']);

/** Reads templates of the plain form only; anything else is refused. */
export const readPlainTemplate: TemplateReader = (text) => {
  const pieces = plainPieces(text);
  return pieces === undefined ? malformed(text) : { ok: true, pieces };
};

/** True when some template of a text is not of the plain form. */
export function needsGrammar(text: string): boolean {
  return text.includes('{{') && plainPieces(text) === undefined;
}

/**
 * Loads Handlebars' grammar and gives the reader that it makes possible. Only `{{vars.NAME}}`, `{{column}}` and
 * comments are let through: no helpers, blocks, partials, decorators, data or parent paths. The pieces are joined
 * by Windlass itself, so no template is ever compiled to code and no prototype is ever looked at.
 */
export async function loadTemplates(): Promise<TemplateReader> {
  const { default: Handlebars } = await import('handlebars');
  return (text) => {
    if (typeof text !== 'string') return { ok: false, reason: 'A template has to be text', source: '' };
    if (!text.includes('{{')) return { ok: true, pieces: [text] };
    // Blocks, partials and raw text are refused anyway, and the grammar takes minutes for some thousand of them.
    const forbidden = NO_VALUE.exec(text);
    if (forbidden !== null) return refusal(blockAt(text, forbidden.index));
    if (text.length > MAX_TEMPLATE) return tooLong(text);
    let program: hbs.AST.Program;
    try {
      program = Handlebars.parse(text);
    } catch {
      return malformed(text);
    }
    return piecesOf(program, text);
  };
}

/** What begins something else than a value or a comment. */
const NO_VALUE = /(?<!\\)\{\{~?(?:[#>^/*]|\{\{|else\b)/;

/** A block up to its end, or what else begins there up to its braces. */
function blockAt(text: string, start: number): string {
  const closing = text.indexOf('{{/', start);
  const end = text.indexOf('}}', Math.max(closing, start));
  return text.slice(start, end < 0 ? text.length : end + 2);
}

/** Longest text, in UTF-16 units, whose templates are not all of the plain form. */
const MAX_TEMPLATE = 10_000;

function tooLong(text: string): TemplateReading {
  const reason = `A text with templates other than {{column}} and {{vars.NAME}} has at most ${MAX_TEMPLATE} characters`;
  return { ok: false, reason, source: /\{\{[^}]{0,40}/.exec(text)?.[0] ?? '' };
}

function malformed(text: string): TemplateReading {
  const source = /\{\{[^}]*\}*/.exec(text)?.[0] ?? text;
  return { ok: false, reason: 'The template is not well formed', source };
}

function piecesOf(program: hbs.AST.Program, text: string): TemplateReading {
  const pieces: TemplatePiece[] = [];
  const sourceOf = sourcesIn(text);
  for (const statement of program.body) {
    const source = sourceOf(statement);
    if (statement.type === 'ContentStatement') pieces.push((statement as hbs.AST.ContentStatement).value);
    else if (statement.type === 'MustacheStatement') {
      const piece = valueOf(statement as hbs.AST.MustacheStatement, source);
      if (piece === undefined) return refusal(source);
      pieces.push(piece);
    } else if (statement.type !== 'CommentStatement') return refusal(source);
  }
  return { ok: true, pieces };
}

function refusal(source: string): TemplateReading {
  const reason = 'A template takes {{column}} and {{vars.NAME}} only, no helpers, blocks or partials';
  return { ok: false, reason, source };
}

function valueOf(statement: hbs.AST.MustacheStatement, source: string): TemplatePiece | undefined {
  const { path, params, hash } = statement;
  if (params.length > 0 || (hash?.pairs.length ?? 0) > 0) return undefined;
  if (path.type !== 'PathExpression') {
    return { type: 'column', name: (path as hbs.AST.StringLiteral).original, source };
  }
  const { data, depth, parts, original } = path as hbs.AST.PathExpression;
  if (data || depth > 0 || parts.length === 0 || original.startsWith('this')) return undefined;
  const [first, ...rest] = parts;
  if (first === 'vars' && rest.length > 0) return { type: 'variable', name: rest.join('.'), source };
  return { type: 'column', name: parts.join('.'), source };
}

/** The texts of nodes by their places. */
function sourcesIn(text: string): (node: hbs.AST.Node) => string {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const offset = ({ line, column }: hbs.AST.Position): number => (starts[line - 1] ?? 0) + column;
  return ({ loc }) => text.slice(offset(loc.start), offset(loc.end));
}
