import { createHash } from 'node:crypto';
import { escapeHtml } from './escape.js';
import { PAGE_STYLE } from './page-style.js';

/** What a page may do beyond being read. */
export interface PageOptions {
  /** Text of the one script of a page that is served while a run goes on; without scripts it loads itself anew. */
  readonly script?: string;
}

/** Seconds after which a live page loads itself anew where scripts are off. */
const REFRESH_SECONDS = 2;

/**
 * A whole page that loads nothing from anywhere; its one style sheet is named by its digest, and so is the one script
 * that live pages have. Others run none.
 *
 * @param title plain text
 * @param body finished HTML; everything untrusted in it is escaped already
 */
export function htmlPage(title: string, body: string, { script }: PageOptions = {}): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(script)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    ...(script === undefined
      ? []
      : [`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`]),
    `<title>${escapeHtml(title)}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    `<body>\n${body}\n</body>`,
    ...(script === undefined ? [] : [`<script>${script}</script>`]),
    '</html>',
    '',
  ].join('\n');
}

/** What a page may load: its own style sheet, and pictures that stand in it; a live one, its script and its events. */
export function contentPolicy(script?: string): string {
  return [
    "default-src 'none'",
    `style-src '${sourceHash(PAGE_STYLE)}'`,
    'img-src data:',
    ...(script === undefined ? [] : [`script-src '${sourceHash(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Inline code. */
export function codeHtml(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** A section with a heading that can be linked to; nothing when it has no content. */
export function sectionHtml(id: string, title: string, content: string): string {
  return content === '' ? '' : `<section id="${id}"><h2>${escapeHtml(title)}</h2>\n${content}\n</section>`;
}

/** Cells of a table; every cell is finished HTML. */
export function tableHtml(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** `name: value` pairs; values are finished HTML. */
export function factsHtml(facts: readonly (readonly [name: string, value: string])[]): string {
  if (facts.length === 0) return '';
  const items = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}
