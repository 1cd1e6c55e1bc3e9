import { isEmpty, type Action, type Change, type ChangeSet, type UnsettledStep } from '../model/change.js';
import { countChangeSet } from '../model/counts.js';
import type { ResourceId } from '../model/id.js';
import {
  changeLines,
  countIrreversible,
  isListed,
  separateLines,
  SYMBOLS,
  unreadableByCause,
  type ChangeLine,
} from './change-lines.js';
import { changesText, resourcesText } from './counts-text.js';
import { changeText, painted, type Density } from './change-text.js';
import { escapeTerminal } from './escape.js';
import type { VersionSources } from './page-material.js';
import { counted, paletteOf, type Palette } from './palette.js';
import { fieldLine } from './standing.js';
import { cellsOf } from './width.js';

/** How a change set is printed. `next` is the exact command to run next, when there is one. */
export interface ChangeSetTextOptions {
  readonly colour: boolean;
  readonly density: Density;
  readonly next?: string;
  /** Sources of versions, where they are at hand. */
  readonly sources?: ReadonlyMap<ResourceId, VersionSources>;
}

/** Widest column of ids; longer ones push their reason to the right. */
const LABEL_CELLS = 40;

/** With fewer other changes, what is blocked is not said once more. */
const FEW = 6;

const LEGEND: Readonly<Record<Action, string>> = {
  create: 'create',
  update: 'update in place',
  deploy: 'deploy',
  replace: 'make a new one; the old one stays where it is',
  forget: 'leave the lock, touch nothing remote',
  none: 'stay, or enter the lock, without a write',
  blocked: 'blocked',
};

/**
 * A change set for people: header, legend of the signs in use, every change with its reason, drift apart,
 * what cannot be read, notices, counts and the next command. Ends without a line feed.
 */
export function changeSetText(changeSet: ChangeSet, options: ChangeSetTextOptions): string {
  const palette = paletteOf(options.colour);
  const full = options.density === 'full';
  const lines = full ? separateLines(changeSet.changes) : changeLines(changeSet.changes.filter(isListed));
  const cells = labelCells(lines);
  const sections = [
    headerText(changeSet, palette),
    ...(lines.length > 0 ? [legendText(lines, palette)] : []),
    lines.map((line) => changeText(line, cells, { ...options, palette })).join('\n'),
    driftText(changeSet, palette),
    unreadableText(changeSet, palette),
    noticesText(changeSet, palette),
    unsettledText(changeSet, palette),
    blockedText(changeSet, palette),
    footerText(changeSet, palette, options.next),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** The verdict in one line: what would be done, or that there is nothing to do; never without what is not settled. */
export function verdictText(changeSet: ChangeSet): string {
  const { unsettled = [] } = changeSet;
  const verdict = changesVerdict(changeSet);
  if (unsettled.length === 0) return verdict;
  const open = counted(unsettled.length, 'step');
  return `${verdict} But ${open} of earlier runs ${unsettled.length === 1 ? 'is' : 'are'} not settled: see windlass status.`;
}

function changesVerdict(changeSet: ChangeSet): string {
  const { changes, steps, partial } = changeSet;
  const counts = countChangeSet(changeSet);
  const resources = resourcesText(counts, partial) || 'the plan declares nothing';
  if (isEmpty(changeSet)) return `Nothing to do: ${resources}.`;
  const irreversible = countIrreversible(changes);
  return [
    resources,
    ...(steps.length > 0 ? [`; ${changesText(counts)}`] : []),
    ...(irreversible > 0 ? [`; ${counted(irreversible, 'change')} cannot be undone`] : []),
    '.',
    ...(counts.blocked > 0
      ? [' Nothing is applied while a change is blocked; --exclude ID leaves one out, with what needs it.']
      : []),
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
  const fields = change.drift.map((field) => fieldLine(change, field)).join('; ');
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

/** How each state of an unsettled step is told. */
export const UNSETTLED_WORDS = {
  undecided: 'nobody knows whether it took effect',
  duplicate: 'it may have taken effect twice',
} as const satisfies Record<UnsettledStep['state'], string>;

function unsettledText({ unsettled = [] }: ChangeSet, palette: Palette): string {
  if (unsettled.length === 0) return '';
  const shown = unsettled.slice(0, 20).map(({ step, state }) => {
    return `  ${escapeTerminal(step)}: ${UNSETTLED_WORDS[state]}`;
  });
  const rest = unsettled.length - shown.length;
  return [
    palette.bad('Not settled: steps of earlier runs that a person may have to decide'),
    ...shown,
    ...(rest > 0 ? [`  … and ${counted(rest, 'more step')}`] : []),
  ].join('\n');
}

/** What is blocked, once more at the end: in a long list it is easily missed, and it keeps everything from being applied. */
function blockedText(changeSet: ChangeSet, palette: Palette): string {
  const lines = changeLines(changeSet.changes.filter(isListed));
  const blocked = lines.filter(({ action }) => action === 'blocked');
  if (blocked.length === 0 || lines.length - blocked.length < FEW) return '';
  const shown = blocked.slice(0, 20).map(({ label, first }) => {
    const fix = first.fix === undefined ? '' : ` · fix: ${first.fix}`;
    return `  ${escapeTerminal(`${label}: ${first.reason}${fix}`)}`;
  });
  const rest = blocked.length - shown.length;
  return [
    palette.bad('Blocked'),
    ...shown,
    ...(rest > 0 ? [`  … and ${counted(rest, 'more resource')}`] : []),
  ].join('\n');
}

function footerText(changeSet: ChangeSet, palette: Palette, next: string | undefined): string {
  const verdict = palette.strong(verdictText(changeSet));
  if (next === undefined) return verdict;
  return `${verdict}\nNext: ${palette.accent(escapeTerminal(next))}`;
}

function labelCells(lines: readonly ChangeLine[]): number {
  return Math.min(LABEL_CELLS, Math.max(...lines.map((line) => cellsOf(escapeTerminal(line.label)))));
}
