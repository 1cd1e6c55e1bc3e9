/**
 * Everything that a plan, a row or the service spelled is untrusted where it is printed. Control characters
 * could rewrite the terminal, bidirectional ones could show a name as another.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, each control, bidirectional, invisible or lone surrogate character as `\n` or `\u{hex}`. */
export function escapeTerminal(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** The same for text of several lines: line feeds stay. */
export function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escapeTerminal).join('\n');
}

/** Text for HTML element content and double- or single-quoted attributes. Unprintable characters are spelled out. */
export function escapeHtml(text: string): string {
  return escapeTerminal(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Text for GitHub-flavoured Markdown, table cells included: nothing in it is markup, a mention or a link. An
 * invisible space parts `@` and `#` from what follows, because GitHub looks for them after decoding entities.
 */
export function escapeMarkdown(text: string): string {
  return escapeTerminal(text)
    .replace(/[\\`*_[\]!|<>&~$#@]|:(?=\/\/)|(?<=www)\./gi, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/&#(35|64);/g, '$&&#8203;');
}

/** The text as inline code of Markdown. Entities inside `<code>` survive backticks, pipes and line ends. */
export function markdownCode(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}

/** At most `limit` UTF-16 units, never half a character; `…` shows the cut. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function escapeCharacter(character: string): string {
  return NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}
