import type { Action } from '../model/change.js';
import { SYMBOLS } from './change-lines.js';
import { escapeHtml } from './escape.js';
import type { Graph } from './graph.js';
import { drawnEdges } from './graph-edges.js';
import { layOut, SPACE, type Direction, type Place, type Route } from './graph-layout.js';
import { cellsOf, fitCellsEnd } from './width.js';

/** How the name of a node is set, in SVG units. */
const TEXT = { cell: 7.4, padding: 12, mostCells: 52 } as const;

type Point = readonly [x: number, y: number];

interface Box extends Place {
  readonly title: string;
  readonly action: Action | 'plain';
  readonly text: string;
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
 * The graph as SVG text: ranks from left to right, each node right of all it depends on.
 *
 * @param actions what happens to each node, by key; given, nodes without one are drawn faint
 */
export function graphSvg(graph: Graph, actions?: ReadonlyMap<string, Action>): string {
  return draw(graph, actions, { mostCells: TEXT.mostCells, direction: 'rightward' }).svg;
}

/** A drawn graph, and its size in SVG units. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/**
 * The graph for a place of so many SVG units: as it is when it fits, else with its ranks from top to bottom and, if need
 * be, with names cut, their ends kept; when nothing fits, as it is.
 */
export function fittingGraph(graph: Graph, actions: ReadonlyMap<string, Action>, room: number): Drawing {
  const whole = draw(graph, actions, { mostCells: TEXT.mostCells, direction: 'rightward' });
  if (whole.width <= room) return whole;
  for (const mostCells of [TEXT.mostCells, 36, 26]) {
    for (const direction of ['downward', 'rightward'] as const) {
      const other = draw(graph, actions, { mostCells, direction });
      if (other.width <= room) return other;
    }
  }
  return whole;
}

function draw(
  graph: Graph,
  actions: ReadonlyMap<string, Action> | undefined,
  { mostCells, direction }: { readonly mostCells: number; readonly direction: Direction },
): Drawing {
  const boxes = boxesOf(graph, actions, mostCells);
  const routes = layOut(boxes, graph.edges, drawnEdges(graph), direction);
  let [width, height] = [0, 0];
  for (const box of boxes) {
    width = Math.max(width, box.x + box.width);
    height = Math.max(height, box.y + SPACE.height);
  }
  for (const [x, y] of routes.flat()) {
    width = Math.max(width, x);
    height = Math.max(height, y);
  }
  width += SPACE.margin;
  height += SPACE.margin;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="dependency graph" font-family="ui-monospace, monospace" font-size="12">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8894a0"/></marker></defs>',
    ...routes.map((route) => routeSvg(route, direction)),
    ...boxes.map(boxSvg),
    '</svg>',
  ].join('\n');
  return { svg, width, height };
}

function boxesOf(
  graph: Graph,
  actions: ReadonlyMap<string, Action> | undefined,
  mostCells: number,
): readonly Box[] {
  return graph.nodes.map((node): Box => {
    const action = actions === undefined ? 'plain' : (actions.get(node.key) ?? 'none');
    const sign = action === 'plain' || action === 'none' ? '' : `${SYMBOLS[action]} `;
    const text = sign + fitCellsEnd(node.label, mostCells - sign.length);
    const width = Math.ceil(cellsOf(text) * TEXT.cell) + 2 * TEXT.padding;
    return { key: node.key, title: node.label, text, action, width, x: 0, y: 0 };
  });
}

/** Straight and bent parts in turns; the last part ends in the arrow. */
function routeSvg(route: Route, direction: Direction): string {
  const [[startX, startY] = [0, 0], ...rest] = route;
  let [fromX, fromY] = [startX, startY];
  const parts = rest.map(([x, y], index) => {
    const part = index % 2 === 0 ? `L${x} ${y}` : bentTo([fromX, fromY], [x, y], direction);
    [fromX, fromY] = [x, y];
    return part;
  });
  return `<path d="M${startX} ${startY} ${parts.join(' ')}" fill="none" stroke="#8894a0" stroke-opacity=".75" marker-end="url(#arrow)"/>`;
}

function bentTo([fromX, fromY]: Point, [x, y]: Point, direction: Direction): string {
  const bend = Math.max(24, (direction === 'rightward' ? x - fromX : y - fromY) / 2);
  return direction === 'rightward'
    ? `C${fromX + bend} ${fromY} ${x - bend} ${y} ${x} ${y}`
    : `C${fromX} ${fromY + bend} ${x} ${y - bend} ${x} ${y}`;
}

function boxSvg(box: Box): string {
  const paint = PAINTS[box.action];
  const faint = box.action === 'none' ? ' opacity=".65"' : '';
  return [
    `<g${faint}><title>${escapeHtml(box.title)}</title>`,
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${SPACE.height}" rx="6" fill="${paint}" fill-opacity=".12" stroke="${paint}"/>`,
    `<text x="${box.x + TEXT.padding}" y="${box.y + SPACE.height / 2 + 4}" fill="currentColor">${escapeHtml(box.text)}</text></g>`,
  ].join('');
}
