import { isEmpty, type Action, type ChangeSet } from '../model/change.js';
import { countChangeSet, type Counts } from '../model/counts.js';
import { batchHtml } from './batch-html.js';
import { anchorOf, changeCardHtml } from './change-card-html.js';
import {
  actionsOf,
  changeLines,
  countIrreversible,
  isIrreversible,
  isListed,
  SYMBOLS,
  unreadableByCause,
  type ChangeLine,
} from './change-lines.js';
import { UNSETTLED_WORDS, verdictText } from './change-set-text.js';
import { escapeHtml } from './escape.js';
import { graphOf } from './graph.js';
import { groupAlike } from './graph-groups.js';
import { fittingGraph } from './graph-svg.js';
import {
  codeHtml,
  factsHtml,
  foldedHtml,
  htmlPage,
  MOST_NAMED,
  restHtml,
  sectionHtml,
  tableHtml,
} from './page.js';
import type { PageMaterial, PageOrigin } from './page-material.js';
import { counted, grouped } from './palette.js';
import { fieldStandings, labelOf } from './standing.js';

/** Files that are named, pictures of a batch last. */
const MOST_FILES = 120;

/** Widest graph that a page of 1280 pixels shows whole, in SVG units: its text is then 9 pixels high at least. */
const GRAPH_ROOM = 1500;

/** Highest graph that shows each of many alike nodes, in SVG units. */
const MOST_HEIGHT = 1600;

/** Lines of a warning that are shown at once; the rest is folded away. */
const MOST_OPEN = 30;

/** Nodes that a page draws; a larger graph is a file of its own. */
const MOST_NODES = 1000;

/**
 * A change set as one self-contained page: no script, no network; what cannot be undone first, then what is blocked,
 * the graph, every change with what lock, platform and plan say, samples of batches, and all that binds it.
 */
export function changeSetHtml(changeSet: ChangeSet, material: PageMaterial = {}): string {
  const lines = changeLines(changeSet.changes.filter(isListed));
  const title = `${changeSet.plan.name} on ${changeSet.environment}`;
  const sections: readonly (readonly [id: string, title: string, html: string])[] = [
    ['graph', 'Graph', graphPart(changeSet)],
    ['changes', 'Changes', lines.map((line) => changeCardHtml(line, material)).join('\n')],
    ['drift', 'Drift: changed on the platform, not by this plan', driftHtml(changeSet)],
    ['batches', 'Batches', batchesHtml(lines, material)],
    ['unreadable', 'Cannot be read here, so their state is not known', unreadableHtml(changeSet)],
    ['notes', 'Notes', notesHtml(changeSet, material)],
    ['unchanged', 'Unchanged', unchangedHtml(changeSet)],
    ['inputs', 'Inputs and digests', inputsHtml(changeSet, material.origin)],
    ['apply', 'How to apply', applyHtml(changeSet, material.next)],
  ];
  const shown = sections.filter(([, , html]) => html !== '');
  const links = shown.map(([id, name]) => `<a href="#${id}">${escapeHtml(name.replace(/:.*|,.*/, ''))}</a>`);
  const body = [
    headHtml(changeSet, links),
    unsettledHtml(changeSet),
    irreversibleHtml(lines),
    blockedHtml(lines),
    ...shown.map(([id, name, html]) => sectionHtml(id, name, html)),
  ];
  return htmlPage(title, body.filter((part) => part !== '').join('\n'));
}

/** What the chips count, the action whose colour they have, and their words. */
const CHIPS: readonly (readonly [keyof Counts, Action, string])[] = [
  ['create', 'create', 'create'],
  ['update', 'update', 'update'],
  ['deploy', 'deploy', 'deploy'],
  ['replace', 'replace', 'replace'],
  ['adopt', 'none', 'adopt'],
  ['move', 'none', 'move'],
  ['forget', 'forget', 'forget'],
  ['unchanged', 'none', 'unchanged'],
  ['blocked', 'blocked', 'blocked'],
];

function headHtml(changeSet: ChangeSet, links: readonly string[]): string {
  const counts = countChangeSet(changeSet);
  const drifted = changeSet.changes.filter(({ drift }) => drift.length > 0).length;
  const irreversible = countIrreversible(changeSet.changes);
  const chips = [
    ...CHIPS.filter(([name]) => counts[name] > 0).map(
      ([name, action, words]) =>
        `<li class="chip ${action}">${SYMBOLS[action]} ${grouped(counts[name])} ${words}</li>`,
    ),
    ...(irreversible > 0
      ? [`<li class="chip irreversible">${grouped(irreversible)} cannot be undone</li>`]
      : []),
    ...(drifted > 0 ? [`<li class="chip drift">${grouped(drifted)} drifted</li>`] : []),
  ];
  return [
    '<header><p class="kicker">Windlass change set</p>',
    `<h1>${escapeHtml(changeSet.plan.name)} on ${escapeHtml(changeSet.environment)}</h1>`,
    `<p class="verdict">${escapeHtml(verdictText(changeSet))}</p>`,
    ...(changeSet.partial ? ['<p class="bad">Partial: flags leave out a part of the plan.</p>'] : []),
    `<ul class="chips">${chips.join('')}</ul>`,
    `<nav>${links.join(' ')}</nav></header>`,
  ].join('\n');
}

function irreversibleHtml(lines: readonly ChangeLine[]): string {
  const found = lines.filter((line) => line.changes.some(isIrreversible));
  if (found.length === 0) return '';
  const items = found.map((line) => `<li>${SYMBOLS[line.action]} ${line.action} ${linkHtml(line)}</li>`);
  const [first, rest] = [items.slice(0, MOST_OPEN), items.slice(MOST_OPEN)];
  const more =
    rest.length === 0
      ? ''
      : foldedHtml('irreversible', counted(rest.length, 'more line'), `<ul>${rest.join('')}</ul>`);
  return `<section class="box warn"><h2>These cannot be undone</h2><ul>${first.join('')}</ul>${more}</section>`;
}

function unsettledHtml({ unsettled = [] }: ChangeSet): string {
  if (unsettled.length === 0) return '';
  const items = unsettled
    .slice(0, MOST_NAMED)
    .map(({ step, state }) => `<li>${codeHtml(step)}: ${UNSETTLED_WORDS[state]}</li>`);
  return `<section class="box warn unsettled"><h2>Not settled: steps of earlier runs that a person may have to decide</h2><ul>${items.join('')}</ul>${restHtml(unsettled.length, MOST_NAMED)}</section>`;
}

/** What keeps everything else from being applied, and what to do about it. */
function blockedHtml(lines: readonly ChangeLine[]): string {
  const found = lines.filter(({ action }) => action === 'blocked');
  if (found.length === 0) return '';
  const items = found.slice(0, MOST_NAMED).map((line) => {
    const fix = line.first.fix === undefined ? '' : `. <strong>Fix:</strong> ${escapeHtml(line.first.fix)}`;
    return `<li>${linkHtml(line)}: ${escapeHtml(line.first.reason)}${fix}</li>`;
  });
  return `<section class="box warn blocks"><h2>Blocked: nothing is applied until this is mended</h2><ul>${items.join('')}</ul>${restHtml(found.length, MOST_NAMED)}</section>`;
}

function graphPart(changeSet: ChangeSet): string {
  const graph = graphOf(changeSet.changes);
  if (graph.nodes.length === 0) return '';
  if (graph.nodes.length > MOST_NODES)
    return `<p>${counted(graph.nodes.length, 'node')} are too many for a page: see <code>windlass graph --format svg</code>.</p>`;
  const actions = actionsOf(changeSet.changes);
  const whole = fittingGraph(graph, actions, GRAPH_ROOM);
  const isLarge = whole.width > GRAPH_ROOM || whole.height > MOST_HEIGHT;
  const { svg, width } = isLarge ? fittingGraph(groupAlike(graph, actions), actions, GRAPH_ROOM) : whole;
  const fits = width <= GRAPH_ROOM;
  const hint = `<p class="graph-hint faint${fits ? '' : ' wide'}">The graph is wider than the page: scroll it sideways; by keyboard, with the arrow keys once it has the focus. <code>windlass graph --format svg</code> draws it alone.</p>`;
  return `${hint}<div class="graph${fits ? ' fits' : ''}" tabindex="0" role="region" aria-label="dependency graph">${svg}</div>`;
}

function driftHtml(changeSet: ChangeSet): string {
  const rows = changeSet.changes.flatMap((change) => {
    const drifted = change.drift.map(({ path }) => labelOf(change, path));
    return fieldStandings(change)
      .filter(({ label }) => drifted.includes(label))
      .map(({ label, lock, platform, plan }) => [
        codeHtml(change.id),
        codeHtml(label),
        ...[lock, platform, plan].map(escapeHtml),
      ]);
  });
  const heads = ['resource', 'input', 'lock', 'platform', 'plan'];
  return tableHtml(heads, rows.slice(0, MOST_NAMED)) + restHtml(rows.length, MOST_NAMED);
}

function batchesHtml(lines: readonly ChangeLine[], { rows }: PageMaterial): string {
  return [...(rows ?? [])].map(([batch, samples]) => batchHtml(batch, lines, samples)).join('\n');
}

function unreadableHtml(changeSet: ChangeSet): string {
  const rows = [...unreadableByCause(changeSet)].map(([cause, lines]) => {
    const names = lines.slice(0, MOST_NAMED).map((line) => codeHtml(line.label));
    return [names.join(', ') + restHtml(lines.length, MOST_NAMED), escapeHtml(cause)];
  });
  return tableHtml(['resources', 'needs'], rows);
}

function unchangedHtml(changeSet: ChangeSet): string {
  const lines = changeLines(changeSet.changes.filter((change) => !isListed(change)));
  if (lines.length === 0) return '';
  const rows = lines.slice(0, MOST_NAMED).map((line) => {
    const address = line.changes.length === 1 ? line.first.locked?.['address'] : undefined;
    return [
      codeHtml(line.label),
      typeof address === 'string' ? codeHtml(address) : '',
      escapeHtml(line.changes.length === 1 ? line.first.reason : counted(line.changes.length, 'certificate')),
    ];
  });
  const table = tableHtml(['resource', 'address', 'why'], rows) + restHtml(lines.length, MOST_NAMED);
  return `<details><summary>${counted(lines.length, 'line')}</summary>${table}</details>`;
}

function inputsHtml(changeSet: ChangeSet, origin: PageOrigin | undefined): string {
  const { plan, environment } = changeSet;
  const facts: (readonly [string, string])[] = [
    ['plan', `${codeHtml(plan.file)} ${codeHtml(plan.digest)}`],
    ['environment', codeHtml(environment)],
  ];
  if (origin?.target !== undefined) facts.push(['target', codeHtml(origin.target)]);
  if (origin?.lineage !== undefined)
    facts.push(['lock', `lineage ${codeHtml(origin.lineage)}, serial ${grouped(origin.serial ?? 0)}`]);
  if (origin !== undefined) facts.push(['engine', `Windlass ${codeHtml(origin.engine)}`]);
  const files = Object.entries(origin?.files ?? {}).sort(
    ([a], [b]) => Number(isPicture(a)) - Number(isPicture(b)) || (a < b ? -1 : 1),
  );
  const rows = files.slice(0, MOST_FILES).map(([path, digest]) => [codeHtml(path), codeHtml(digest)]);
  const table = tableHtml(['file', 'digest'], rows) + restHtml(files.length, MOST_FILES);
  return `${factsHtml(facts)}${files.length === 0 ? '' : `<details><summary>${counted(files.length, 'file')}</summary>${table}</details>`}`;
}

function applyHtml(changeSet: ChangeSet, next: string | undefined): string {
  if (changeSet.changes.some(({ action }) => action === 'blocked'))
    return '<p>Nothing is applied while a change is blocked: mend what is blocked, or leave it out (<code>--exclude ID</code>), then plan again.</p>';
  if (isEmpty(changeSet) && changeSet.steps.length === 0)
    return changeSet.unsettled === undefined
      ? '<p>There is nothing to apply.</p>'
      : '<p>There is nothing to apply before what is not settled is decided: <code>windlass status</code>.</p>';
  if (next === undefined) return '';
  return `<pre class="command">${escapeHtml(next)}</pre><p class="faint">A saved change set is applied exactly as it is shown here, or refused when plan, files, lock, target or platform are not what they were.</p>`;
}

function isPicture(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|pdf)$/i.test(path);
}

function notesHtml({ notices }: ChangeSet, { lack }: PageMaterial): string {
  return listHtml([...(lack === undefined ? [] : [lack]), ...notices].map(escapeHtml));
}

function linkHtml(line: ChangeLine): string {
  const count = line.changes.length;
  const name = `<a href="#${anchorOf(line.label)}">${codeHtml(line.label)}</a>`;
  return count === 1 ? name : `${name} (${counted(count, 'certificate')})`;
}

function listHtml(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
