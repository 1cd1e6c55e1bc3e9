import { parseCertificateId, type ResourceId } from '../model/id.js';
import type { Action, Change } from '../model/change.js';
import { factsOf, isIrreversible, reasonOf, SYMBOLS, type ChangeLine } from './change-lines.js';
import { escapeTerminal } from './escape.js';
import { counted, type Palette } from './palette.js';
import type { VersionSources } from './page-material.js';
import { sourceDiffLines } from './source-diff.js';
import { factLine, fieldLine, fieldStandings, identityOf, standingOf, trailText } from './standing.js';
import { VALUE_LIMIT } from './value-text.js';
import { padCells } from './width.js';

/** How much is shown of each change: a line, its changed fields, or everything. */
export type Density = 'summary' | 'default' | 'full';

/** How the lines of one change are printed. */
export interface ChangeTextStyle {
  readonly density: Density;
  readonly palette: Palette;
  /** Sources of versions, where they are at hand: shown when everything is. */
  readonly sources?: ReadonlyMap<ResourceId, VersionSources>;
}

/** Fields of one change in the default density. */
const MOST_FIELDS = 8;

/** Rows of a batch that are shown with their fields in the default density. */
const MOST_ROWS = 5;

/** Lines of the source difference of one version when everything was asked for. */
const MOST_DIFF_LINES = 2000;

/** UTF-16 units of one value when everything was asked for. */
const FULL_LIMIT = 2000;

/** One change of a change set, or one batch line: its head, and below it what the density asks for. */
export function changeText(line: ChangeLine, cells: number, style: ChangeTextStyle): string {
  const { palette } = style;
  const label = padCells(escapeTerminal(line.label), cells);
  const irreversible = line.changes.some(isIrreversible) ? ` ${palette.bad('(irreversible)')}` : '';
  const head = `  ${painted(line.action, palette)} ${label}  ${palette.faint(escapeTerminal(reasonOf(line)))}${irreversible}`;
  const fixes = fixesOf(line).map((fix) => `      ${palette.accent('fix:')} ${escapeTerminal(fix)}`);
  return [head, ...detailLines(line, style), ...fixes].join('\n');
}

/** The sign of an action in its colour. */
export function painted(action: Action, palette: Palette): string {
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

function detailLines(line: ChangeLine, style: ChangeTextStyle): readonly string[] {
  const { density, palette } = style;
  if (density === 'summary') return [];
  if (line.changes.length > 1) return rowLines(line, palette);
  const everything = density === 'full';
  const details = everything ? fullLines(line.first) : shortLines(line.first);
  const shown = everything ? details : details.slice(0, MOST_FIELDS);
  const rest = details.length - shown.length;
  return [
    ...aroundLines(line.first).map((text) => palette.faint(`      ${escapeTerminal(text)}`)),
    ...shown.map((detail) => `      ${escapeTerminal(detail)}`),
    ...(everything ? sourceLines(line.first, style) : []),
    ...(rest > 0 ? [palette.faint(`      … and ${counted(rest, 'more field')}; see --full`)] : []),
  ];
}

function sourceLines({ id }: Change, { sources, palette }: ChangeTextStyle): readonly string[] {
  const found = sources?.get(id);
  if (found === undefined) return [];
  const paint = (line: string): string => {
    if (/^(?:---|\+\+\+) /.test(line)) return palette.strong(line);
    if (line.startsWith('@@')) return palette.faint(line);
    if (line.startsWith('+')) return palette.good(line);
    return line.startsWith('-') ? palette.bad(line) : line;
  };
  return sourceDiffLines(found, MOST_DIFF_LINES).map((line) => `      ${paint(line)}`);
}

/** What it comes from, and what of it is there already. */
function aroundLines(change: Change): readonly string[] {
  const trail = trailText(change);
  const old = change.action === 'replace' || change.action === 'blocked' ? identityOf(change) : undefined;
  return [
    ...(trail === undefined ? [] : [`because: ${trail}`]),
    ...(old === undefined ? [] : [`there now: ${old}`]),
  ];
}

function shortLines(change: Change): readonly string[] {
  if (change.follows !== undefined) {
    const { id, fields } = change.follows;
    const differs = fields.map((field) => fieldLine(change, field));
    return [
      `comes after ${id}${fields.length === 0 ? ', and is the same' : ', from which it differs in'}`,
      ...differs,
    ];
  }
  return ['create', 'deploy'].includes(change.action)
    ? factsOf(change, false).map(({ path, value }) => factLine(change, path, value, VALUE_LIMIT))
    : change.fields.map((field) => fieldLine(change, field, VALUE_LIMIT));
}

/** Everything: what lock, platform and plan say, of the whole and of each input in which they differ, then all inputs. */
function fullLines(change: Change): readonly string[] {
  const { lock, platform, plan } = standingOf(change);
  const differing = fieldStandings(change, FULL_LIMIT).flatMap((field) => [
    field.label,
    `  lock:     ${field.lock}`,
    `  platform: ${field.platform}`,
    `  plan:     ${field.plan}`,
  ]);
  const follows = change.follows === undefined ? [] : shortLines(change);
  const facts = factsOf(change, true).map(({ path, value }) => factLine(change, path, value, FULL_LIMIT));
  const unchanged = change.action === 'none' && differing.length === 0;
  return [
    `lock: ${lock} · platform: ${platform} · plan: ${plan}`,
    ...differing,
    ...follows,
    ...(unchanged || differing.length > 0 ? [] : facts),
  ];
}

/** Rows of a batch that are not simply new, each with what differs. */
function rowLines({ changes }: ChangeLine, palette: Palette): readonly string[] {
  const rows = changes.filter(({ fields }) => fields.length > 0);
  const shown = rows.slice(0, MOST_ROWS).map((row) => {
    const fields = row.fields.map((field) => fieldLine(row, field)).join('; ');
    return `      [${escapeTerminal(parseCertificateId(row.id)?.key ?? row.id)}] ${escapeTerminal(fields)}`;
  });
  const rest = rows.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [palette.faint(`      … and ${counted(rest, 'more row')}; see --full`)] : []),
  ];
}

function fixesOf(line: ChangeLine): readonly string[] {
  return [...new Set(line.changes.flatMap((change) => change.fix ?? []))].slice(0, 3);
}
