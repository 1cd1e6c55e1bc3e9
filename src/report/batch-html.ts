import { parseCertificateId } from '../model/id.js';
import { isIrreversible, SYMBOLS, type ChangeLine } from './change-lines.js';
import { escapeHtml, shorten } from './escape.js';
import { codeHtml } from './page.js';
import type { RowSample } from './page-material.js';
import { counted, grouped } from './palette.js';

/** A sample of a batch: each certificate as its receiver would see it. Pictures stand in the page. */
export function batchHtml(
  batch: string,
  lines: readonly ChangeLine[],
  samples: readonly RowSample[],
): string {
  const mine = lines.filter(({ first }) => parseCertificateId(first.id)?.batch === batch);
  const counts = mine.map(
    ({ action, changes }) =>
      `<li class="chip ${action}">${SYMBOLS[action]} ${grouped(changes.length)} ${action}</li>`,
  );
  const irreversible = mine.reduce((sum, { changes }) => sum + changes.filter(isIrreversible).length, 0);
  const total = mine.reduce((sum, { changes }) => sum + changes.length, 0);
  return [
    `<h3>${codeHtml(batch)} · ${counted(total, 'row')} with a change</h3>`,
    `<ul class="chips">${counts.join('')}${irreversible > 0 ? `<li class="chip irreversible">${grouped(irreversible)} cannot be undone</li>` : ''}</ul>`,
    samples.length === 0 ? '' : `<p class="faint">A sample of ${counted(samples.length, 'row')}:</p>`,
    `<ul class="rows">${samples.map(rowHtml).join('\n')}</ul>`,
  ].join('\n');
}

function rowHtml(row: RowSample): string {
  const key = parseCertificateId(row.id)?.key ?? row.id;
  const { path, sizeBytes, dataUri } = row.image;
  const picture =
    dataUri === undefined
      ? `<span class="none">${escapeHtml(path)}, ${grouped(sizeBytes)} bytes</span>`
      : `<img src="${escapeHtml(dataUri)}" alt="picture of ${escapeHtml(shorten(row.name, 80))}">`;
  const traits = row.attributes
    .slice(0, 12)
    .map(
      ({ trait, value }) =>
        `<p><span class="faint">${escapeHtml(trait)}</span> ${escapeHtml(shorten(value, 120))}</p>`,
    );
  return `<li>${picture}<div class="text"><p><strong>${escapeHtml(shorten(row.name, 120))}</strong></p><p>${escapeHtml(shorten(row.description, 240))}</p>${traits.join('')}<p><span class="faint">key</span> ${codeHtml(shorten(key, 80))}</p><p><span class="faint">to</span> ${codeHtml(row.to)}</p></div></li>`;
}
