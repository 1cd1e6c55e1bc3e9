import type { Action } from '../model/change.js';
import { SYMBOLS } from './change-lines.js';
import { escapeHtml } from './escape.js';
import type { Graph } from './graph.js';
import { drawnEdges } from './graph-edges.js';
import { cellsOf, fitCells } from './width.js';

const BOX = { height: 32, gapX: 56, gapY: 16, cell: 7.4, padding: 12, margin: 12, mostCells: 52 } as const;

/** Passes over the ranks that pull nodes towards their neighbours; more of them change next to nothing. */
const PASSES = 4;

/** Width up to which nodes that nothing joins stand in one row, in SVG units. */
const MIN_ROW = 900;

interface Box {
  readonly key: string;
  readonly title: string;
  readonly action: Action | 'plain';
  readonly text: string;
  readonly rank: number;
  readonly width: number;
  x: number;
  y: number;
}

/** Colours that can be read on light and on dark ground; the sign says the same without them. */
const PAINTS: Readonly<Record<Action | 'plain', string>> = {
  create: '#2e9e57',
  deploy: '#2e9e57',
  update: '#c98a1b',
  replace: '#c98a1b',
  forget: '#c98a1b',
  blocked: '#d6404a',
  none: '#8894a0',
  plain: '#5b8dbf',
};

/**
 * The graph as SVG text: ranks from left to right, each node right of all it depends on; nodes that nothing joins to
 * others stand below, in rows.
 *
 * @param actions what happens to each node, by key; given, nodes without one are drawn faint
 */
export function graphSvg(graph: Graph, actions?: ReadonlyMap<string, Action>): string {
  const boxes = placedBoxes(graph, actions);
  const width = Math.max(0, ...boxes.map((box) => box.x + box.width)) + BOX.margin;
  const height = Math.max(0, ...boxes.map((box) => box.y + BOX.height)) + BOX.margin;
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const edges = drawnEdges(graph).flatMap(({ from, to }) => edgeSvg(byKey.get(from), byKey.get(to)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="dependency graph" font-family="ui-monospace, monospace" font-size="12">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8894a0"/></marker></defs>',
    ...edges,
    ...boxes.map(boxSvg),
    '</svg>',
  ].join('\n');
}

function placedBoxes(graph: Graph, actions: ReadonlyMap<string, Action> | undefined): readonly Box[] {
  const ranks = ranksOf(graph);
  const boxes = graph.nodes.map((node): Box => {
    const action = actions === undefined ? 'plain' : (actions.get(node.key) ?? 'none');
    const sign = action === 'plain' || action === 'none' ? '' : `${SYMBOLS[action]} `;
    const text = fitCells(`${sign}${node.label}`, BOX.mostCells);
    const width = Math.ceil(cellsOf(text) * BOX.cell) + 2 * BOX.padding;
    return {
      key: node.key,
      title: node.label,
      text,
      action,
      rank: ranks.get(node.key) ?? 0,
      width,
      x: 0,
      y: 0,
    };
  });
  const joined = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  const columns = columnsOf(boxes.filter(({ key }) => joined.has(key)));
  sortColumns(columns, graph);
  const bottom = placeColumns(columns);
  const alone = boxes.filter(({ key }) => !joined.has(key));
  placeRows(alone, bottom, Math.max(MIN_ROW, ...columns.flat().map((box) => box.x + box.width)));
  return boxes;
}

/** Columns side by side, each centred on the tallest. @returns where the next free line begins */
function placeColumns(columns: readonly (readonly Box[])[]): number {
  const line = BOX.height + BOX.gapY;
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  let x: number = BOX.margin;
  for (const column of columns) {
    const offset = ((tallest - column.length) * line) / 2;
    for (const [index, box] of column.entries()) {
      box.x = x;
      box.y = BOX.margin + Math.round(offset + index * line);
    }
    x += Math.max(0, ...column.map((box) => box.width)) + BOX.gapX;
  }
  return BOX.margin + tallest * line;
}

function placeRows(boxes: readonly Box[], top: number, width: number): void {
  let [x, y]: [number, number] = [BOX.margin, top];
  for (const box of boxes) {
    if (x > BOX.margin && x + box.width > width) {
      x = BOX.margin;
      y += BOX.height + BOX.gapY;
    }
    box.x = x;
    box.y = y;
    x += box.width + BOX.gapY;
  }
}

/** Longest way from a node without dependencies. Nodes stand in plan order, so each is met after all it needs. */
function ranksOf(graph: Graph): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const needs = neighbours(graph.edges.map(({ from, to }) => [to, from]));
  for (const { key } of graph.nodes) {
    ranks.set(key, Math.max(0, ...(needs.get(key) ?? []).map((other) => (ranks.get(other) ?? -1) + 1)));
  }
  return ranks;
}

function columnsOf(boxes: readonly Box[]): Box[][] {
  const columns: Box[][] = [];
  for (const box of boxes) (columns[box.rank] ??= []).push(box);
  return columns.map((column) => column ?? []);
}

/** Orders each rank by the mean place of its neighbours, forth and back, so that few edges cross. */
function sortColumns(columns: Box[][], graph: Graph): void {
  const before = neighbours(graph.edges.map(({ from, to }) => [to, from]));
  const after = neighbours(graph.edges.map(({ from, to }) => [from, to]));
  for (let pass = 0; pass < PASSES; pass += 1) {
    const forth = pass % 2 === 0;
    const places = new Map(
      columns.flatMap((column) => column.map((box, index) => [box.key, index] as const)),
    );
    for (const column of forth ? columns : [...columns].reverse()) {
      const means = new Map(
        column.map((box, index) => [
          box.key,
          meanPlace((forth ? before : after).get(box.key), places) ?? index,
        ]),
      );
      column.sort((a, b) => (means.get(a.key) ?? 0) - (means.get(b.key) ?? 0));
      for (const [index, box] of column.entries()) places.set(box.key, index);
    }
  }
}

function meanPlace(
  keys: readonly string[] | undefined,
  places: ReadonlyMap<string, number>,
): number | undefined {
  if (!keys || keys.length === 0) return undefined;
  return keys.reduce((sum, key) => sum + (places.get(key) ?? 0), 0) / keys.length;
}

function neighbours(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [key, other] of pairs) {
    const list = found.get(key);
    if (list) list.push(other);
    else found.set(key, [other]);
  }
  return found;
}

function edgeSvg(from: Box | undefined, to: Box | undefined): readonly string[] {
  if (!from || !to) return [];
  const [x1, y1] = [from.x + from.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return [
    `<path d="M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="#8894a0" stroke-opacity=".75" marker-end="url(#arrow)"/>`,
  ];
}

function boxSvg(box: Box): string {
  const paint = PAINTS[box.action];
  const faint = box.action === 'none' ? ' opacity=".65"' : '';
  return [
    `<g${faint}><title>${escapeHtml(box.title)}</title>`,
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${BOX.height}" rx="6" fill="${paint}" fill-opacity=".12" stroke="${paint}"/>`,
    `<text x="${box.x + BOX.padding}" y="${box.y + BOX.height / 2 + 4}" fill="currentColor">${escapeHtml(box.text)}</text></g>`,
  ].join('');
}
