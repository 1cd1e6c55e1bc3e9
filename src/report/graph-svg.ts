import { escapeHtml } from './escape.js';
import type { Graph } from './graph.js';
import { cellsOf, fitCells } from './width.js';

const BOX = { height: 32, gapX: 56, gapY: 16, cell: 7.4, padding: 12, margin: 12, mostCells: 44 } as const;

/** Passes over the ranks that pull nodes towards their neighbours; more of them change next to nothing. */
const PASSES = 4;

interface Box {
  readonly key: string;
  readonly text: string;
  readonly rank: number;
  readonly width: number;
  x: number;
  y: number;
}

/** The graph as SVG text: ranks from left to right, each node right of all it depends on. */
export function graphSvg(graph: Graph): string {
  const boxes = placedBoxes(graph);
  const width = Math.max(0, ...boxes.map((box) => box.x + box.width)) + BOX.margin;
  const height = Math.max(0, ...boxes.map((box) => box.y + BOX.height)) + BOX.margin;
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const edges = graph.edges.flatMap(({ from, to }) => edgeSvg(byKey.get(from), byKey.get(to)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="dependency graph" font-family="ui-monospace, monospace" font-size="12">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>',
    ...edges,
    ...boxes.map(boxSvg),
    '</svg>',
  ].join('\n');
}

function placedBoxes(graph: Graph): readonly Box[] {
  const ranks = ranksOf(graph);
  const boxes = graph.nodes.map((node): Box => {
    const text = fitCells(node.label, BOX.mostCells);
    const width = Math.ceil(cellsOf(text) * BOX.cell) + 2 * BOX.padding;
    return { key: node.key, text, rank: ranks.get(node.key) ?? 0, width, x: 0, y: 0 };
  });
  const columns = columnsOf(boxes);
  sortColumns(columns, graph);
  let x: number = BOX.margin;
  for (const column of columns) {
    for (const [index, box] of column.entries()) {
      box.x = x;
      box.y = BOX.margin + index * (BOX.height + BOX.gapY);
    }
    x += Math.max(0, ...column.map((box) => box.width)) + BOX.gapX;
  }
  return boxes;
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
    `<path d="M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="#888" marker-end="url(#arrow)"/>`,
  ];
}

function boxSvg(box: Box): string {
  const text = escapeHtml(box.text);
  return [
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${BOX.height}" rx="5" fill="none" stroke="#57a"/>`,
    `<text x="${box.x + BOX.padding}" y="${box.y + BOX.height / 2 + 4}" fill="currentColor">${text}</text>`,
  ].join('');
}
