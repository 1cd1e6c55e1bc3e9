import type { Graph } from './graph.js';

/** Larger graphs are drawn with every edge: what the drawing gains is lost in waiting. */
const MOST_NODES = 4000;

/**
 * The edges worth drawing: those that no longer way says already (the transitive reduction). Nodes stand in plan
 * order, so that each is met after all it needs.
 */
export function drawnEdges(graph: Graph): Graph['edges'] {
  const { nodes, edges } = graph;
  if (nodes.length > MOST_NODES) return edges;
  const needs = directNeeds(graph);
  const bits = new Map(nodes.map(({ key }, index) => [key, 1n << BigInt(index)]));
  const above = new Map<string, bigint>();
  const far = new Map<string, bigint>();
  for (const { key } of nodes) {
    const direct = needs.get(key) ?? [];
    const beyond = direct.reduce((all, source) => all | (above.get(source) ?? 0n), 0n);
    far.set(key, beyond);
    above.set(
      key,
      direct.reduce((all, source) => all | (bits.get(source) ?? 0n), beyond),
    );
  }
  return edges.filter(({ from, to }) => ((far.get(to) ?? 0n) & (bits.get(from) ?? 0n)) === 0n);
}

function directNeeds({ edges }: Graph): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const list = needs.get(to);
    if (list) list.push(from);
    else needs.set(to, [from]);
  }
  return needs;
}
