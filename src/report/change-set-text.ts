import { isEmpty, type Action, type Change, type ChangeSet } from '../model/change.js';
import {
  changeLines,
  countIrreversible,
  countsText,
  factsOf,
  isIrreversible,
  isListed,
  reasonOf,
  separateLines,
  SYMBOLS,
  unreadableByCause,
  type ChangeLine,
} from './change-lines.js';
import { escapeTerminal } from './escape.js';
import { counted, paletteOf, type Palette } from './palette.js';
import { fieldText, valueText, VALUE_LIMIT, type Leaf } from './value-text.js';
import { cellsOf, padCells } from './width.js';

/** How much is shown of each change: a line, its changed fields, or everything. */
export type Density = 'summary' | 'default' | 'full';

/** How a change set is printed. `next` is the exact command to run next, when there is one. */
export interface ChangeSetTextOptions {
  readonly colour: boolean;
  readonly density: Density;
  readonly next?: string;
}

/** Fields of one change in the default density. */
const MOST_FIELDS = 8;

/** Widest column of ids; longer ones push their reason to the right. */
const LABEL_CELLS = 40;

const LEGEND: Readonly<Record<Action, string>> = {
  create: 'create',
  update: 'update in place',
  deploy: 'deploy',
  replace: 'make a new one; the old one stays on the chain',
  forget: 'leave the lock, touch nothing remote',
  none: 'enter the lock without a write',
  blocked: 'blocked',
};

/**
 * A change set for people: header, legend of the signs in use, every change with its reason, drift apart,
 * what cannot be read, notices, counts and the next command. Ends without a line feed.
 */
export function changeSetText(changeSet: ChangeSet, options: ChangeSetTextOptions): string {
  const palette = paletteOf(options.colour);
  const listed = changeSet.changes.filter(isListed);
  const lines = options.density === 'full' ? separateLines(listed) : changeLines(listed);
  const sections = [
    headerText(changeSet, palette),
    ...(lines.length > 0 ? [legendText(lines, palette)] : []),
    lines.map((line) => lineText(line, labelCells(lines), { ...options, palette })).join('\n'),
    driftText(changeSet, palette),
    unreadableText(changeSet, palette),
    noticesText(changeSet, palette),
    footerText(changeSet, palette, options.next),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** The verdict in one line: what would be done, or that there is nothing to do. */
export function verdictText(changeSet: ChangeSet): string {
  const { changes, steps } = changeSet;
  if (isEmpty(changeSet)) return `Nothing to do: ${countsText(changes) || 'the plan declares nothing'}.`;
  const irreversible = countIrreversible(changes);
  const blocked = changes.some((change) => change.action === 'blocked');
  return [
    countsText(changes),
    ...(steps.length > 0 ? [`; ${counted(steps.length, 'step')}`] : []),
    ...(irreversible > 0 ? [`; ${counted(irreversible, 'change')} cannot be undone`] : []),
    '.',
    ...(blocked ? [' Nothing is applied while a change is blocked.'] : []),
  ].join('');
}

function headerText(changeSet: ChangeSet, palette: Palette): string {
  const title = `${escapeTerminal(changeSet.plan.name)} on ${escapeTerminal(changeSet.environment)}`;
  const partial = changeSet.partial ? ' · partial: flags leave out a part of the plan' : '';
  return `${palette.strong(title)}${palette.faint(` · ${escapeTerminal(changeSet.plan.file)}${partial}`)}`;
}

function legendText(lines: readonly ChangeLine[], palette: Palette): string {
  const used = (Object.keys(SYMBOLS) as Action[]).filter((action) =>
    lines.some((line) => line.action === action),
  );
  return used.map((action) => `  ${painted(action, palette)} ${LEGEND[action]}`).join('\n');
}

interface LineStyle {
  readonly density: Density;
  readonly palette: Palette;
}

function lineText(line: ChangeLine, cells: number, style: LineStyle): string {
  const { palette } = style;
  const label = padCells(escapeTerminal(line.label), cells);
  const irreversible = line.changes.some(isIrreversible) ? ` ${palette.bad('(irreversible)')}` : '';
  const head = `  ${painted(line.action, palette)} ${label}  ${palette.faint(escapeTerminal(reasonOf(line)))}${irreversible}`;
  const details = style.density === 'summary' ? [] : detailLines(line, style);
  const fixes = fixesOf(line).map((fix) => `      ${palette.accent('fix:')} ${escapeTerminal(fix)}`);
  return [head, ...details, ...fixes].join('\n');
}

function detailLines(line: ChangeLine, style: LineStyle): readonly string[] {
  if (line.changes.length > 1) return [];
  const everything = style.density === 'full';
  const limit = everything ? 2000 : VALUE_LIMIT;
  const change = line.first;
  const details = ['create', 'deploy'].includes(change.action)
    ? factsOf(change, everything).map((leaf) => leafText(leaf, limit))
    : change.fields.map((field) => `${field.path}: ${fieldText(field, limit)}`);
  const shown = everything ? details : details.slice(0, MOST_FIELDS);
  const rest = details.length - shown.length;
  return [
    ...shown.map((detail) => `      ${escapeTerminal(detail)}`),
    ...(rest > 0 ? [style.palette.faint(`      … and ${counted(rest, 'more field')}; see --full`)] : []),
  ];
}

function leafText(leaf: Leaf, limit: number): string {
  return leaf.path === '' ? valueText(leaf.value, limit) : `${leaf.path}: ${valueText(leaf.value, limit)}`;
}

function fixesOf(line: ChangeLine): readonly string[] {
  return [...new Set(line.changes.flatMap((change) => change.fix ?? []))].slice(0, 3);
}

function driftText(changeSet: ChangeSet, palette: Palette): string {
  const drifted = changeSet.changes.filter((change) => change.drift.length > 0);
  if (drifted.length === 0) return '';
  const shown = drifted.slice(0, 20).map(driftedText);
  const rest = drifted.length - shown.length;
  return [
    palette.change('Drift: changed on the platform since it was locked, not by this plan'),
    ...shown,
    ...(rest > 0 ? [`  … and ${counted(rest, 'more resource')}`] : []),
  ].join('\n');
}

function driftedText(change: Change): string {
  const fields = change.drift.map((field) => `${field.path}: ${fieldText(field)}`).join('; ');
  return `  ${escapeTerminal(change.id)}  ${escapeTerminal(fields)}`;
}

function unreadableText(changeSet: ChangeSet, palette: Palette): string {
  const causes = unreadableByCause(changeSet);
  if (causes.size === 0) return '';
  const lines = [...causes].map(([cause, found]) => {
    const labels = found.slice(0, 5).map((line) => line.label);
    const rest = found.length > 5 ? ` and ${found.length - 5} more` : '';
    return `  ${escapeTerminal(`${labels.join(', ')}${rest}: needs ${cause}`)}`;
  });
  return [palette.change('Cannot be read here, so their state is not known'), ...lines].join('\n');
}

function noticesText(changeSet: ChangeSet, palette: Palette): string {
  if (changeSet.notices.length === 0) return '';
  return [palette.strong('Note'), ...changeSet.notices.map((notice) => `  ${escapeTerminal(notice)}`)].join(
    '\n',
  );
}

function footerText(changeSet: ChangeSet, palette: Palette, next: string | undefined): string {
  const verdict = palette.strong(verdictText(changeSet));
  if (next === undefined) return verdict;
  return `${verdict}\nNext: ${palette.accent(escapeTerminal(next))}`;
}

function painted(action: Action, palette: Palette): string {
  const paints: Readonly<Record<Action, (text: string) => string>> = {
    create: palette.good,
    deploy: palette.good,
    update: palette.change,
    replace: palette.change,
    forget: palette.change,
    none: palette.faint,
    blocked: palette.bad,
  };
  return paints[action](SYMBOLS[action]);
}

function labelCells(lines: readonly ChangeLine[]): number {
  return Math.min(LABEL_CELLS, Math.max(...lines.map((line) => cellsOf(escapeTerminal(line.label)))));
}
