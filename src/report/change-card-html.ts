import { parseCertificateId } from '../model/id.js';
import type { Change } from '../model/change.js';
import { factsOf, isIrreversible, reasonOf, SYMBOLS, type ChangeLine } from './change-lines.js';
import { escapeHtml } from './escape.js';
import { codeHtml, factsHtml, tableHtml } from './page.js';
import type { PageMaterial } from './page-material.js';
import { counted } from './palette.js';
import { sourceDiffHtml } from './source-diff-html.js';
import { fieldLine, fieldStandings, labelOf, standingOf, trailText } from './standing.js';
import { typedText, valueText } from './value-text.js';

/** Rows of a batch line that are shown with what differs. */
const MOST_ROWS = 50;

/** UTF-16 units of one value on a page. */
const LIMIT = 400;

/** One change, or one batch line, as a part that can be opened: what lock, platform and plan say, and what differs. */
export function changeCardHtml(line: ChangeLine, material: PageMaterial): string {
  const { action, label, first, changes } = line;
  const marks = [
    ...(changes.some(isIrreversible) ? ['<span class="chip irreversible">irreversible</span>'] : []),
    ...(changes.some(({ drift }) => drift.length > 0) ? ['<span class="chip drift">drift</span>'] : []),
  ].join(' ');
  const summary = `<span class="action ${action}">${SYMBOLS[action]} ${action}</span> <span class="name">${codeHtml(label)}</span> ${marks} <span class="why">${escapeHtml(reasonOf(line))}</span>`;
  const body = changes.length === 1 ? singleHtml(first, material) : rowsHtml(changes);
  const fix = [...new Set(changes.flatMap((change) => change.fix ?? []))]
    .slice(0, 3)
    .map((text) => `<p><strong>Fix:</strong> ${escapeHtml(text)}</p>`);
  const open = action === 'blocked' || first.follows !== undefined ? ' open' : '';
  return `<details class="card"${open} id="${anchorOf(label)}"><summary>${summary}</summary><div>${fix.join('')}${body}</div></details>`;
}

/** The name by which other parts of the page link to a resource. */
export function anchorOf(label: string): string {
  return `r-${encodeURIComponent(label.replace(/\p{Cs}/gu, '')).replace(/[^A-Za-z0-9.-]/g, '_')}`;
}

function singleHtml(change: Change, { sources }: PageMaterial): string {
  const { lock, platform, plan } = standingOf(change);
  const trail = trailText(change);
  const found = sources?.get(change.id);
  return [
    factsHtml([
      ['lock', escapeHtml(lock)],
      ['platform', escapeHtml(platform)],
      ['plan', escapeHtml(plan)],
      ...(trail === undefined
        ? []
        : ([['because', `<span class="trail">${escapeHtml(trail)}</span>`]] as const)),
      ...(change.movedFrom === undefined ? [] : ([['moved from', codeHtml(change.movedFrom)]] as const)),
    ]),
    differencesHtml(change),
    followsHtml(change),
    inputsHtml(change),
    found === undefined ? '' : sourceDiffHtml(found),
  ].join('');
}

function differencesHtml(change: Change): string {
  const rows = fieldStandings(change, LIMIT).map(({ label, lock, platform, plan }) => [
    codeHtml(label),
    escapeHtml(lock),
    escapeHtml(platform),
    escapeHtml(plan),
  ]);
  return tableHtml(['input', 'lock', 'platform', 'plan'], rows);
}

function followsHtml(change: Change): string {
  if (change.follows === undefined) return '';
  const { id, fields } = change.follows;
  const items = fields.map((field) => `<li>${escapeHtml(fieldLine(change, field, LIMIT))}</li>`);
  const what =
    items.length === 0 ? 'and is the same.' : `from which it differs in:</p><ul>${items.join('')}</ul><p>`;
  return `<p>Comes after ${codeHtml(id)}, ${what}</p>`;
}

/** All inputs; below a difference they are folded away. */
function inputsHtml(change: Change): string {
  const named = factsOf(change, true).filter(({ path }) => path !== '');
  const facts = named.map(({ path, value }) => {
    const name = /^params\.([\w$]+)$/.exec(path)?.[1];
    const type = name === undefined ? undefined : change.types?.[name];
    const text = type === undefined ? valueText(value, LIMIT) : typedText(value, type, LIMIT);
    return [codeHtml(labelOf(change, path)), escapeHtml(text)];
  });
  if (facts.length === 0) return '';
  const table = tableHtml(['input', 'value'], facts);
  const fresh = change.action === 'create' || change.action === 'deploy';
  return fresh && facts.length <= 12
    ? table
    : `<details><summary>${counted(facts.length, 'input')}</summary>${table}</details>`;
}

function rowsHtml(changes: readonly Change[]): string {
  const rows = changes
    .filter(({ fields }) => fields.length > 0)
    .slice(0, MOST_ROWS)
    .map((row) => [
      codeHtml(parseCertificateId(row.id)?.key ?? row.id),
      row.fields.map((field) => escapeHtml(fieldLine(row, field, LIMIT))).join('<br>'),
    ]);
  return tableHtml(['row', 'difference'], rows) || '<p class="faint">See the sample below.</p>';
}
