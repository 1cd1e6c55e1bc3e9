import type { ChangeSet } from '../model/change.js';
import {
  changeLines,
  factsOf,
  isIrreversible,
  isListed,
  reasonOf,
  SYMBOLS,
  unreadableByCause,
  type ChangeLine,
} from './change-lines.js';
import { verdictText } from './change-set-text.js';
import { escapeHtml } from './escape.js';
import { counted } from './palette.js';
import { htmlPage } from './page.js';
import { fieldText, valueText } from './value-text.js';

/** A change set as one self-contained page: no script, no network, irreversible changes first. */
export function changeSetHtml(changeSet: ChangeSet): string {
  const lines = changeLines(changeSet.changes.filter(isListed));
  const title = `${changeSet.plan.name} on ${changeSet.environment}`;
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p><strong>${escapeHtml(verdictText(changeSet))}</strong></p>`,
    `<p class="faint">${code(changeSet.plan.file)} ${code(changeSet.plan.digest)}</p>`,
    ...(changeSet.partial ? ['<p>Partial: flags leave out a part of the plan.</p>'] : []),
    irreversibleHtml(lines),
    changesHtml(lines),
    driftHtml(changeSet),
    unreadableHtml(changeSet),
    noticesHtml(changeSet),
  ];
  return htmlPage(title, body.filter((part) => part !== '').join('\n'));
}

function irreversibleHtml(lines: readonly ChangeLine[]): string {
  const found = lines.filter((line) => line.changes.some(isIrreversible));
  if (found.length === 0) return '';
  const items = found.map((line) => `<li>${SYMBOLS[line.action]} ${nameHtml(line)}</li>`);
  return `<section class="box"><h2 class="bad">These cannot be undone</h2><ul>${items.join('')}</ul></section>`;
}

function changesHtml(lines: readonly ChangeLine[]): string {
  if (lines.length === 0) return '';
  const rows = lines.map((line) => {
    const fix = line.first.fix === undefined ? '' : `<br><strong>Fix:</strong> ${escapeHtml(line.first.fix)}`;
    const irreversible = line.changes.some(isIrreversible) ? ' <span class="bad">irreversible</span>' : '';
    return `<tr><td>${SYMBOLS[line.action]}&nbsp;${line.action}</td><td>${nameHtml(line)}${detailsHtml(line)}</td><td>${escapeHtml(reasonOf(line))}${irreversible}${fix}</td></tr>`;
  });
  return `<h2>Changes</h2><table><thead><tr><th>action</th><th>resource</th><th>reason</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function detailsHtml(line: ChangeLine): string {
  const change = line.first;
  if (line.changes.length > 1) return '';
  const fields = change.fields.map((field) => [field.path, fieldText(field)] as const);
  const facts =
    fields.length > 0
      ? fields
      : factsOf(change, true).map((leaf) => [leaf.path, valueText(leaf.value)] as const);
  if (facts.length === 0) return '';
  const items = facts.map(([path, text]) => `<li>${code(path)} ${escapeHtml(text)}</li>`);
  return `<details><summary>${counted(facts.length, 'field')}</summary><ul>${items.join('')}</ul></details>`;
}

function driftHtml(changeSet: ChangeSet): string {
  const rows = changeSet.changes.flatMap((change) =>
    change.drift.map(
      (field) => `<li>${code(change.id)} ${code(field.path)} ${escapeHtml(fieldText(field))}</li>`,
    ),
  );
  return rows.length === 0
    ? ''
    : `<h2>Drift: changed on the platform, not by this plan</h2><ul>${rows.join('')}</ul>`;
}

function unreadableHtml(changeSet: ChangeSet): string {
  const rows = [...unreadableByCause(changeSet)].map(([cause, lines]) => {
    const names = lines.map((line) => nameHtml(line));
    return `<li>${names.join(', ')}: needs ${escapeHtml(cause)}</li>`;
  });
  return rows.length === 0
    ? ''
    : `<h2>Cannot be read here, so their state is not known</h2><ul>${rows.join('')}</ul>`;
}

function noticesHtml(changeSet: ChangeSet): string {
  const rows = changeSet.notices.map((notice) => `<li>${escapeHtml(notice)}</li>`);
  return rows.length === 0 ? '' : `<h2>Notes</h2><ul>${rows.join('')}</ul>`;
}

function nameHtml(line: ChangeLine): string {
  const count = line.changes.length;
  return count === 1 ? code(line.label) : `${code(line.label)} (${counted(count, 'certificate')})`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}
