import type { Change, ChangeSet } from '../model/change.js';
import { parseCertificateId, type ResourceId } from '../model/id.js';
import { actionsOf, factsOf, type ChangeLine } from './change-lines.js';
import { drawnEdges } from './graph-edges.js';
import { graphMermaid, graphOf } from './graph.js';
import { lineName, more, MOST_ROWS, name, prose } from './markdown-parts.js';
import { counted } from './palette.js';
import type { VersionSources } from './page-material.js';
import { sourceDiffLines } from './source-diff.js';
import { factLine, fieldLine, fieldStandings, labelOf, trailText } from './standing.js';
import { valueText } from './value-text.js';

const MOST_DETAILED = 200;
const MOST_SAMPLES = 20;
const MOST_NODES = 50;
const MOST_DIFF_LINES = 400;

/** Each change with where it comes from, and what lock, platform and plan say of what differs. */
export function detailsSection(lines: readonly ChangeLine[]): string {
  const parts = lines.map(detailsOf).filter((part) => part.length > 0);
  if (parts.length === 0) return '';
  const head = `<details><summary>Details of ${counted(parts.length, 'change')}</summary>`;
  const shown = parts.slice(0, MOST_DETAILED).flat();
  return [head, ...shown, ...more(parts.length, MOST_DETAILED), '</details>'].join('\n\n');
}

function detailsOf(line: ChangeLine): readonly string[] {
  const rows = line.changes.filter(({ fields }) => fields.length > 0).slice(0, MOST_SAMPLES);
  const changed = rows.map(differencesOf);
  const fresh = line.changes.length === 1 && changed.length === 0 ? factsPart(line.first) : '';
  const parts = [...changed, ...(fresh === '' ? [] : [fresh])];
  if (parts.length === 0) return [];
  const trail = trailText(line.first);
  const because = trail === undefined ? [] : [`because ${prose(trail)}`];
  return [`**${line.action}** ${lineName(line)}`, ...because, ...parts];
}

function differencesOf(change: Change): string {
  const rows = fieldStandings(change, 120)
    .slice(0, MOST_SAMPLES)
    .map(
      ({ label, lock, platform, plan }) =>
        `| ${name(label)} | ${prose(lock)} | ${prose(platform)} | ${prose(plan)} |`,
    );
  const row = parseCertificateId(change.id)?.key;
  const head = row === undefined ? 'input' : `row ${name(row)}`;
  return [`| ${head} | lock | platform | plan |`, '|---|---|---|---|', ...rows].join('\n');
}

function factsPart(change: Change): string {
  const follows = change.follows;
  const lines =
    follows === undefined
      ? factsOf(change, false).map(({ path, value }) => factLine(change, path, value, 120))
      : follows.fields.map((field) => fieldLine(change, field, 120));
  if (lines.length === 0) return '';
  const head = follows === undefined ? [] : [`comes after ${name(follows.id)}, from which it differs in`, ''];
  return [...head, ...lines.slice(0, MOST_SAMPLES).map((line) => `- ${prose(line)}`)].join('\n');
}

/** What differs in the sources of each version, as GitHub colours it. */
export function sourcesSection(sources: ReadonlyMap<ResourceId, VersionSources> = new Map()): string {
  const parts = [...sources].flatMap(([id, found]) => {
    const lines = sourceDiffLines(found, MOST_DIFF_LINES);
    if (lines.length === 0 || found.base === undefined) return [];
    const against = found.base === id ? 'the one that is there' : name(found.base);
    // A longer fence than any in the sources.
    const longest = Math.max(
      2,
      ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)),
    );
    const fence = '`'.repeat(longest + 1);
    return [
      `<details><summary>Sources of ${name(id)} against ${against}</summary>`,
      [`${fence}diff`, ...lines, fence].join('\n'),
      '</details>',
    ];
  });
  return parts.join('\n\n');
}

/** What the platform shows otherwise than it is locked. */
export function driftSection(changeSet: ChangeSet): string {
  const rows = changeSet.changes.flatMap((change) =>
    change.drift.map((field) => {
      const label = name(labelOf(change, field.path));
      const [locked, shown] = [field.before, field.after].map((value) =>
        value === undefined ? '(absent)' : prose(valueText(value)),
      );
      return `| ${name(change.id)} | ${label} | ${locked} | ${shown} |`;
    }),
  );
  if (rows.length === 0) return '';
  return [
    '#### Drift: changed on the platform, not by this plan',
    '',
    '| resource | input | lock | platform |',
    '|---|---|---|---|',
    ...rows.slice(0, MOST_ROWS),
    ...more(rows.length),
  ].join('\n');
}

/** The graph as GitHub draws it; a large one cannot be read in a comment. */
export function graphSection(changeSet: ChangeSet): string {
  const graph = graphOf(changeSet.changes);
  const edges = drawnEdges(graph);
  if (edges.length === 0 || graph.nodes.length > MOST_NODES) return '';
  const mermaid = graphMermaid({ nodes: graph.nodes, edges }, actionsOf(changeSet.changes));
  return ['<details><summary>Graph</summary>', '', '```mermaid', mermaid, '```', '', '</details>'].join('\n');
}
