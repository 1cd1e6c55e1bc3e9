import { escapeHtml } from './escape.js';
import { codeHtml } from './page.js';
import { counted } from './palette.js';
import type { SourcePair, VersionSources } from './page-material.js';
import { diffLines, hunkHead, hunksOf, type DiffLine } from './text-diff.js';

/** Lines of one file, and of one version, that a page shows; the rest is counted. */
const MOST_FILE_LINES = 400;
const MOST_LINES = 2000;

const MARKS = { same: ['', ' '], gone: ['g', '-'], new: ['n', '+'] } as const;

/** The source difference of a version, file by file: changed places with the lines around them. */
export function sourceDiffHtml({ base, missing, files }: VersionSources): string {
  const parts: string[] = [];
  let room = MOST_LINES;
  let same = 0;
  for (const file of files) {
    if (file.before === file.after) {
      same += 1;
      continue;
    }
    const shown = fileHtml(
      file,
      Math.min(room, MOST_FILE_LINES),
      base !== undefined && missing === undefined,
    );
    room -= shown.lines;
    parts.push(shown.html);
  }
  const from = base === undefined ? '' : ` against ${codeHtml(base)}`;
  const note = missing === undefined ? '' : `<p class="faint">${escapeHtml(missing)}</p>`;
  const rest = same === 0 ? '' : `<p class="faint">${counted(same, 'file')} without a difference.</p>`;
  return parts.length + same === 0 && note === ''
    ? ''
    : `<h3>Sources${from}</h3>${note}${parts.join('')}${rest}`;
}

function fileHtml(
  file: SourcePair,
  room: number,
  compared: boolean,
): { readonly html: string; readonly lines: number } {
  const lines = diffLines(file.before ?? '', file.after ?? '');
  const hunks = hunksOf(lines);
  const gone = lines.filter(({ kind }) => kind === 'gone').length;
  const fresh = lines.filter(({ kind }) => kind === 'new').length;
  const what = whatOf(file, compared);
  const text: string[] = [];
  let left = Math.max(0, room);
  for (const hunk of hunks) {
    if (left <= 0) break;
    text.push(`<span class="h">${hunkHead(hunk)}</span>`, ...hunk.slice(0, left).map(lineHtml));
    left -= hunk.length;
  }
  const total = hunks.reduce((sum, hunk) => sum + hunk.length, 0);
  const cut = total - Math.min(total, Math.max(0, room));
  if (cut > 0) text.push(`<span class="h">… ${counted(cut, 'more line')}</span>`);
  const open = compared && total <= 120 ? ' open' : '';
  return {
    html: `<details${open}><summary>${codeHtml(file.filename)} <span class="faint">${what}+${fresh} −${gone}</span></summary><pre class="diff" tabindex="0">${text.join('')}</pre></details>`,
    lines: total - cut,
  };
}

function whatOf(file: SourcePair, compared: boolean): string {
  if (!compared) return '';
  if (file.before === undefined) return 'new file, ';
  return file.after === undefined ? 'gone, ' : '';
}

function lineHtml({ kind, text }: DiffLine): string {
  const [name, mark] = MARKS[kind];
  const content = `${mark}${escapeHtml(text.replaceAll('\t', '    '))}`;
  return name === '' ? `<span>${content}</span>` : `<span class="${name}">${content}</span>`;
}
