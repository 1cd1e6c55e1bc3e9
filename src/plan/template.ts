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

/** True when a text holds a template. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
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
    if (!hasTemplate(text)) return { ok: true, pieces: [text] };
    let program: hbs.AST.Program;
    try {
      program = Handlebars.parse(text);
    } catch {
      const source = /\{\{[^}]*\}*/.exec(text)?.[0] ?? text;
      return { ok: false, reason: 'The template is not well formed', source };
    }
    return piecesOf(program, text);
  };
}

function piecesOf(program: hbs.AST.Program, text: string): TemplateReading {
  const pieces: TemplatePiece[] = [];
  for (const statement of program.body) {
    const source = sourceOf(statement, text);
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

function sourceOf({ loc }: hbs.AST.Node, text: string): string {
  const lines = text.split('\n');
  const offset = (place: hbs.AST.Position): number =>
    lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + place.column;
  return text.slice(offset(loc.start), offset(loc.end));
}
