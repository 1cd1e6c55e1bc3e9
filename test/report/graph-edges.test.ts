import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnEdges } from '../../src/report/graph-edges.js';
import type { Graph } from '../../src/report/graph.js';
import { fittingGraph, graphSvg } from '../../src/report/graph-svg.js';

/** Any graph whose nodes stand after what they need. */
const anyGraph: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 12 }).chain((count) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { selector: ([a, b]) => `${a} ${b}` })
    .map((pairs) => ({
      nodes: Array.from({ length: count }, (_, index) => ({
        key: `${index}`,
        kind: 'tag',
        label: `${index}`,
      })),
      edges: pairs.filter(([a, b]) => a < b).map(([a, b]) => ({ from: `${a}`, to: `${b}` })),
    })),
);

/** Every pair that a way joins. */
function ways({ nodes, edges }: Graph): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (from: string, at: string): void => {
    for (const edge of edges.filter((one) => one.from === at)) {
      if (found.has(`${from} ${edge.to}`)) continue;
      found.add(`${from} ${edge.to}`);
      walk(from, edge.to);
    }
  };
  for (const { key } of nodes) walk(key, key);
  return found;
}

test('what is drawn joins what the graph joins, and no edge of it says what others say', () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const drawn = { ...graph, edges: drawnEdges(graph) };
      expect(ways(drawn)).toEqual(ways(graph));
      for (const edge of drawn.edges) {
        const without = { ...graph, edges: drawn.edges.filter((one) => one !== edge) };
        expect(ways(without).has(`${edge.from} ${edge.to}`)).toBe(false);
      }
    }),
  );
});

/** Widths that a drawing may have to fit into; undefined: any. */
const anyRoom = fc.option(fc.integer({ min: 200, max: 1500 }), { nil: undefined });

function drawingOf(graph: Graph, room: number | undefined): string {
  return room === undefined ? graphSvg(graph) : fittingGraph(graph, new Map(), room).svg;
}

test('no box lies on another, and nodes that nothing joins stand below', () => {
  fc.assert(
    fc.property(anyGraph, anyRoom, (graph, room) => {
      const drawing = drawingOf(graph, room);
      const boxes = [...drawing.matchAll(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/g)].map(
        ([, x, y, width, height]) => ({
          x: Number(x),
          y: Number(y),
          width: Number(width),
          height: Number(height),
        }),
      );
      expect(boxes).toHaveLength(graph.nodes.length);
      for (const [index, a] of boxes.entries())
        for (const b of boxes.slice(index + 1))
          expect(
            a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
          ).toBe(true);
    }),
    { numRuns: 50 },
  );
});

/** Points along the drawn edges: level parts and bends alike. */
function pointsOf(svg: string): readonly (readonly [x: number, y: number])[] {
  return [...svg.matchAll(/<path d="(M[^"]+)" fill="none"/g)].flatMap(([, path = '']) => {
    const [[x0 = 0, y0 = 0] = [], ...parts] = path
      .split(/(?=[MLC])/)
      .map((part) => part.slice(1).trim().split(' ').map(Number));
    let at: readonly [number, number] = [x0, y0];
    return parts.flatMap((part) => {
      const [x, y] = at;
      const [ax, ay, bx, by, endX, endY] = part.length === 2 ? [x, y, ...part, ...part] : part;
      const along = (a: number, b = 0, c = 0, d = 0) =>
        Array.from({ length: 21 }, (_, n) => {
          const t = n / 20;
          return a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t ** 3;
        });
      const ys = along(y, ay, by, endY);
      at = [endX ?? x, endY ?? y];
      return along(x, ax, bx, endX).map((px, n) => [px, ys[n] ?? 0] as const);
    });
  });
}

test('no edge runs across a box, however many ranks it passes', () => {
  fc.assert(
    fc.property(anyGraph, anyRoom, (graph, room) => {
      const svg = drawingOf(graph, room);
      const boxes = [...svg.matchAll(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/g)].map(
        (found) => found.slice(1).map(Number) as [number, number, number, number],
      );
      const points = pointsOf(svg);
      expect(points.length).toBe(42 * drawnEdges(graph).length + lanesIn(svg) * 42);
      for (const [px, py] of points) {
        const inside = ([x, y, w, h]: (typeof boxes)[number]): boolean =>
          px > x + 0.1 && px < x + w - 0.1 && py > y + 0.1 && py < y + h - 0.1;
        const met = boxes.filter(inside);
        expect(met).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

/** How many ranks edges pass beside nodes. */
function lanesIn(svg: string): number {
  const paths = [...svg.matchAll(/<path d="(M[^"]+)" fill="none"/g)];
  return paths.reduce((sum, [, path = '']) => sum + path.split('L').length - 2, 0);
}

test('a graph with many ranks is drawn from top to bottom where it is too wide, every node below all it needs', () => {
  const names = Array.from({ length: 30 }, (_, n) => `contract.core.ContractNumber${n}`);
  const nodes = names.map((key) => ({ key, kind: 'contract' as const, label: key }));
  const edges = names.slice(1).map((to, n) => ({ from: names[n] ?? '', to }));
  expect(Number(/width="(\d+)"/.exec(graphSvg({ nodes, edges }))?.[1])).toBeGreaterThan(5000);
  const { svg, width } = fittingGraph({ nodes, edges }, new Map(), 1500);
  expect(width).toBeLessThanOrEqual(1500);
  const tops = [...svg.matchAll(/<rect x="\d+" y="(\d+)"/g)].map(([, y]) => Number(y));
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(new Set(tops).size).toBe(30);
});

test('what no drawing makes narrow enough keeps its names whole', () => {
  const names = Array.from({ length: 60 }, (_, n) => `tag.${'x'.repeat(30)}${n}`);
  const nodes = names.map((key) => ({ key, kind: 'tag' as const, label: key }));
  const edges = names.slice(0, 58).flatMap((from, n) => [
    { from, to: names[n + 1] ?? '' },
    { from, to: names[n + 2] ?? '' },
  ]);
  const { svg } = fittingGraph({ nodes, edges }, new Map(), 100);
  expect(svg).toBe(graphSvg({ nodes, edges }, new Map()));
});

test('what happens to a node shows in its sign, not in its colour alone', () => {
  const nodes = [{ key: 'tag.a', kind: 'tag', label: 'tag.a' }] as const;
  expect(graphSvg({ nodes, edges: [] }, new Map([['tag.a', 'blocked']]))).toContain('>! tag.a<');
  expect(graphSvg({ nodes, edges: [] }, new Map())).toContain('opacity=');
});
