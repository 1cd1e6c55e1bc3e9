import type { ChangeLine } from './change-lines.js';
import { escapeMarkdown, markdownCode, shorten } from './escape.js';
import { counted } from './palette.js';

/** Lines of one section of a comment. */
export const MOST_ROWS = 500;

const NAME_LIMIT = 120;

/** How many more there are than are shown. */
export function more(total: number, most = MOST_ROWS): readonly string[] {
  return total > most ? ['', `… and ${total - most} more`] : [];
}

/** The resource of a line, as code; how many certificates it stands for. */
export function lineName(line: ChangeLine): string {
  const count = line.changes.length;
  return count === 1 ? name(line.label) : `${name(line.label)} (${counted(count, 'certificate')})`;
}

/** A name as code, cut where it is too long for a comment. */
export function name(text: string): string {
  return markdownCode(shorten(text, NAME_LIMIT));
}

/** A sentence, cut where it is too long for a comment. */
export function prose(text: string): string {
  return escapeMarkdown(shorten(text, 300));
}
