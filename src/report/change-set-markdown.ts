import type { ChangeSet } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import {
  changeLines,
  isIrreversible,
  isListed,
  reasonOf,
  SYMBOLS,
  unreadableByCause,
  type ChangeLine,
} from './change-lines.js';
import { UNSETTLED_WORDS, verdictText } from './change-set-text.js';
import { escapeMarkdown, shorten } from './escape.js';
import { counted } from './palette.js';
import { detailsSection, driftSection, graphSection, sourcesSection } from './change-set-markdown-details.js';
import type { VersionSources } from './page-material.js';
import { lineName, more, MOST_ROWS, name, prose } from './markdown-parts.js';
import { identityOf } from './standing.js';

/** GitHub refuses longer comments: characters and UTF-8 bytes. */
export const COMMENT_LIMITS = { characters: 60_000, bytes: 65_536 } as const;

/** How a comment is written. `next` is the command that applies it; `whole` says where everything can be read. */
export interface MarkdownOptions {
  readonly next?: string;
  readonly whole?: string;
  /** The sources of new and changed versions, where they are at hand. */
  readonly sources?: ReadonlyMap<ResourceId, VersionSources>;
}

/** A part of the comment. The lowest `weight` is dropped first; parts without one always stay and are bounded. */
interface Section {
  readonly name: string;
  readonly text: string;
  readonly weight?: number;
}

const NAME_LIMIT = 120;
const MOST_IRREVERSIBLE = 20;
const MOST_UNSETTLED = 20;

/**
 * A change set as a GitHub comment. A hidden marker finds the comment again; irreversible changes stand first;
 * whole sections go, least important first, before the limits of {@link COMMENT_LIMITS} are reached.
 */
export function changeSetMarkdown(changeSet: ChangeSet, options: MarkdownOptions = {}): string {
  const lines = changeLines(changeSet.changes.filter(isListed));
  const sections: readonly Section[] = [
    { name: 'head', text: headSection(changeSet) },
    { name: 'irreversible', text: irreversibleSection(lines) },
    { name: 'unsettled', text: unsettledSection(changeSet) },
    { name: 'blocked', text: blockedSection(lines), weight: 7 },
    { name: 'changes', text: tableSection(lines), weight: 6 },
    { name: 'drift', text: driftSection(changeSet), weight: 5 },
    { name: 'unreadable', text: unreadableSection(changeSet), weight: 4 },
    { name: 'source differences', text: sourcesSection(options.sources), weight: 2 },
    { name: 'details', text: detailsSection(lines), weight: 1 },
    { name: 'graph', text: graphSection(changeSet), weight: 0 },
    { name: 'notices', text: noticesSection(changeSet), weight: 3 },
    { name: 'foot', text: footSection(options) },
  ];
  return fit(sections.filter((section) => section.text !== '')).join('\n\n');
}

function fit(sections: readonly Section[]): readonly string[] {
  let kept = sections;
  const dropped: string[] = [];
  for (;;) {
    const texts = kept.map((section) => section.text);
    if (dropped.length > 0) texts.push(`_Left out because comments are limited: ${dropped.join(', ')}._`);
    if (fits(texts.join('\n\n'))) return texts;
    const least = kept.reduce((a, b) => ((a.weight ?? Infinity) <= (b.weight ?? Infinity) ? a : b));
    if (least.weight === undefined) return texts;
    dropped.push(least.name);
    kept = kept.filter((section) => section !== least);
  }
}

function fits(text: string): boolean {
  return (
    text.length <= COMMENT_LIMITS.characters && new TextEncoder().encode(text).length <= COMMENT_LIMITS.bytes
  );
}

/** The marker that finds the comment of an environment again, whatever the heading says. */
export function commentMarker(environment: string): string {
  return `<!-- windlass env=${encodeURIComponent(environment.replace(/\p{Cs}/gu, '')).replaceAll('-', '%2D')} -->`;
}

function headSection(changeSet: ChangeSet): string {
  const { plan, environment } = changeSet;
  return [
    commentMarker(shorten(environment, NAME_LIMIT)),
    `### Windlass: ${name(plan.name)} on ${name(environment)}`,
    '',
    `**${escapeMarkdown(verdictText(changeSet))}**${changeSet.partial ? ' Partial: flags leave out a part of the plan.' : ''}`,
    '',
    `${name(plan.file)} · ${name(plan.digest)}`,
  ].join('\n');
}

function irreversibleSection(lines: readonly ChangeLine[]): string {
  const found = lines.filter((line) => line.changes.some(isIrreversible));
  if (found.length === 0) return '';
  const shown = found
    .slice(0, MOST_IRREVERSIBLE)
    .map((line) => `- **${line.action}** ${lineName(line)}${staysText(line)}`);
  const rest = found.length - shown.length;
  return [
    '> [!WARNING]',
    '> **These cannot be undone**',
    '>',
    ...shown.map((line) => `> ${line}`),
    ...(rest > 0 ? [`> - … and ${rest} more`] : []),
  ].join('\n');
}

/** The address that goes on to exist beside a new one. */
function staysText({ action, first }: ChangeLine): string {
  const old = action === 'replace' ? identityOf(first) : undefined;
  return old === undefined ? '' : `; ${name(old)} stays as it is`;
}

function unsettledSection({ unsettled = [] }: ChangeSet): string {
  if (unsettled.length === 0) return '';
  const items = unsettled
    .slice(0, MOST_UNSETTLED)
    .map(({ step, state }) => `> - ${name(step)}: ${UNSETTLED_WORDS[state]}`);
  const rest = unsettled.length - items.length;
  return [
    '> [!CAUTION]',
    '> **Not settled: steps of earlier runs that a person may have to decide**',
    '>',
    ...items,
    ...(rest > 0 ? [`> - … and ${rest} more`] : []),
  ].join('\n');
}

function blockedSection(lines: readonly ChangeLine[]): string {
  const blocked = lines.filter((line) => line.action === 'blocked');
  if (blocked.length === 0) return '';
  const items = blocked.slice(0, MOST_ROWS).map((line) => {
    const fix = line.first.fix === undefined ? '' : ` **Fix:** ${prose(line.first.fix)}`;
    return `- ${name(line.label)}: ${prose(reasonOf(line))}.${fix}`;
  });
  return ['#### Blocked', '', ...items, ...more(blocked.length)].join('\n');
}

function tableSection(lines: readonly ChangeLine[]): string {
  if (lines.length === 0) return '';
  const rows = lines
    .slice(0, MOST_ROWS)
    .map(
      (line) => `| ${SYMBOLS[line.action]} ${line.action} | ${name(line.label)} | ${prose(reasonOf(line))} |`,
    );
  return ['| action | resource | reason |', '|---|---|---|', ...rows, ...more(lines.length)].join('\n');
}

function unreadableSection(changeSet: ChangeSet): string {
  const rows = [...unreadableByCause(changeSet)].map(([cause, found]) => {
    const total = found.reduce((sum, line) => sum + line.changes.length, 0);
    const sample = found.slice(0, 3).map((line) => name(line.label));
    return `- ${counted(total, 'resource')} (${sample.join(', ')}${found.length > 3 ? ', …' : ''}): needs ${prose(cause)}`;
  });
  if (rows.length === 0) return '';
  return ['#### Cannot be read here, so their state is not known', '', ...rows.slice(0, MOST_ROWS)].join(
    '\n',
  );
}

function noticesSection(changeSet: ChangeSet): string {
  const rows = changeSet.notices.map((notice) => `- ${prose(notice)}`);
  if (rows.length === 0) return '';
  return ['#### Notes', '', ...rows.slice(0, MOST_ROWS), ...more(rows.length)].join('\n');
}

function footSection(options: MarkdownOptions): string {
  const parts = [
    ...(options.next === undefined ? [] : [`Apply exactly this: ${name(options.next)}`]),
    ...(options.whole === undefined ? [] : [`Everything: ${name(options.whole)}`]),
  ];
  return parts.join('\n\n');
}
