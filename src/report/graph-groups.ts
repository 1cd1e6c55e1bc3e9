import type { Action } from '../model/change.js';
import { counted } from './palette.js';
import type { Graph, GraphNode } from './graph.js';

/** Nodes that are alike are drawn as one from this many on. */
const FEWEST = 4;

/**
 * The graph with one node for many that are alike: of one kind, with one action, and with the same nodes before and after
 * them. The first of them lends its key, so that actions are found by it.
 */
export function groupAlike(graph: Graph, actions: ReadonlyMap<string, Action>): Graph {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    before.set(to, [...(before.get(to) ?? []), from]);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const alike = new Map<string, GraphNode[]>();
  for (const node of graph.nodes) {
    const around = [before, after].map((near) => [...(near.get(node.key) ?? [])].sort());
    const mark = JSON.stringify([node.kind, actions.get(node.key) ?? '', ...around]);
    alike.set(mark, [...(alike.get(mark) ?? []), node]);
  }
  const heads = new Map<string, string>();
  const labels = new Map<string, string>();
  for (const nodes of alike.values()) {
    const [first] = nodes;
    if (first === undefined || nodes.length < FEWEST) continue;
    for (const { key } of nodes) heads.set(key, first.key);
    labels.set(first.key, `${counted(nodes.length, first.kind.replaceAll('-', ' '))}: ${first.label} …`);
  }
  const isShown = (key: string): boolean => (heads.get(key) ?? key) === key;
  return {
    nodes: graph.nodes
      .filter(({ key }) => isShown(key))
      .map((node) => ({ ...node, label: labels.get(node.key) ?? node.label })),
    edges: graph.edges.filter(({ from, to }) => isShown(from) && isShown(to)),
  };
}
