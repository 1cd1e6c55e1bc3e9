import { createHash } from 'node:crypto';
import { escapeHtml } from './escape.js';
import { grouped } from './palette.js';
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
    `<body>\n<main>\n${body}\n</main>\n</body>`,
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

/**
 * Cells of a table; every cell is finished HTML. On a narrow screen each row is a block whose cells say their heads
 * themselves; roles are spelled out, for there browsers forget that it is a table.
 */
export function tableHtml(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const labels = heads.map(escapeHtml);
  const head = labels.map((label) => `<th role="columnheader" scope="col">${label}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => `<td role="cell" data-label="${labels[at] ?? ''}">${cell}</td>`);
    return `<tr role="row">${cells.join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table role="table"><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">${body.join('\n')}</tbody></table></div>`;
}

/**
 * A part that is folded away; on paper it is unfolded.
 *
 * @param id by which a live page keeps it open
 * @param summary what is in it, plain text
 */
export function foldedHtml(id: string, summary: string, content: string): string {
  return `<details id="${id}"><summary>${escapeHtml(summary)}</summary>${content}</details>`;
}

/** `name: value` pairs; values are finished HTML. */
export function factsHtml(facts: readonly (readonly [name: string, value: string])[]): string {
  if (facts.length === 0) return '';
  const items = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}

/** Rows of a table that a page shows at once; of more, those that are well are folded away. */
export const MOST_OPEN = 20;

/** Things of one kind that a page names; the rest is counted. */
export const MOST_NAMED = 500;

/** How many were left out of a list of `most`; nothing when none were. */
export function restHtml(total: number, most: number): string {
  return total > most ? `<p class="faint">… and ${grouped(total - most)} more.</p>` : '';
}
