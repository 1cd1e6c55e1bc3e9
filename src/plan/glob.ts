/** True for a text with pattern characters; anything else is a path. */
export function isPattern(text: string): boolean {
  return /[*?{[]/.test(text);
}

/**
 * The expression of a pattern over `/`-separated relative paths: `*` and `?` stay inside one folder, `**` crosses
 * any number of them, `{a,b}` is a choice. Everything else stands for itself.
 */
export function patternExpression(pattern: string): RegExp {
  let source = '';
  let choices = 0;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    const char = pattern.charAt(at);
    if (rest.startsWith('**/')) [source, at] = [`${source}(?:[^/]+/)*`, at + 2];
    else if (rest.startsWith('**')) [source, at] = [`${source}.*`, at + 1];
    else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{' && rest.includes('}')) [source, choices] = [`${source}(?:`, choices + 1];
    else if (char === '}' && choices > 0) [source, choices] = [`${source})`, choices - 1];
    else if (char === ',' && choices > 0) source += '|';
    else source += char.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(choices)}$`, 'u');
}

/** The folder under which everything that a pattern matches lies; empty for the plan's own folder. */
export function patternRoot(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isPattern);
  return parts.slice(0, first < 0 ? -1 : first).join('/');
}
