/** A piece of an author's text: literal (templates included), or a placeholder by its name. */
export type TextPiece =
  | { readonly type: 'literal'; readonly text: string }
  | {
      readonly type: 'placeholder';
      readonly text: string;
      readonly name: string;
      readonly qualifier?: string;
    };

const PIECE =
  /\{\{\{?[^]*?\}\}\}?|<((?:[A-Za-z0-9_-]+\.)?[A-Za-z0-9_-]+)_ADDRESS>|\{((?:[A-Za-z0-9_-]+\.)?[A-Za-z0-9_-]+)_ADDRESS\}/g;

/**
 * Splits an author's text at its placeholders `<NAME_ADDRESS>` and `{NAME_ADDRESS}`, qualified with a deployment
 * or not. What stands inside `{{…}}` is left to the template. Only authors' texts may be given: cells of rows and
 * results of templates are never searched.
 */
export function splitPlaceholders(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(PIECE)) {
    const written = match[1] ?? match[2];
    if (written === undefined) continue;
    if (match.index > from) pieces.push({ type: 'literal', text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const dot = written.indexOf('.');
    const name = written.slice(dot + 1);
    const qualifier = dot < 0 ? {} : { qualifier: written.slice(0, dot) };
    pieces.push({ type: 'placeholder', text: match[0], name, ...qualifier });
  }
  if (from < text.length || pieces.length === 0) pieces.push({ type: 'literal', text: text.slice(from) });
  return pieces;
}
