import type { Action } from '../model/change.js';
import { parseCertificateId, type KindName, type ResourceId } from '../model/id.js';
import { SYMBOLS } from './change-lines.js';
import { escapeTerminal } from './escape.js';
import { counted } from './palette.js';

/** A node of the dependency graph: one resource, or a whole batch of certificates. */
export interface GraphNode {
  /** Resource id, or `certificate.BATCH`. */
  readonly key: string;
  readonly kind: KindName;
  readonly label: string;
}

/** The dependency graph of a plan; also the document of `graph --format json`. An edge leads from a resource to one that needs it. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The graph of a plan's resources, batches as one node; order as in the plan, each edge once. */
export function graphOf(
  resources: readonly {
    readonly id: ResourceId;
    readonly kind: KindName;
    readonly dependsOn: readonly ResourceId[];
  }[],
): Graph {
  const rows = new Map<string, number>();
  for (const { id } of resources) rows.set(nodeKey(id), (rows.get(nodeKey(id)) ?? 0) + 1);
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, { from: string; to: string }>();
  for (const { id, kind, dependsOn } of resources) {
    const key = nodeKey(id);
    const label = kind === 'certificate' ? `${key} (${counted(rows.get(key) ?? 0, 'certificate')})` : key;
    nodes.set(key, { key, kind, label });
    for (const dependency of dependsOn) {
      const from = nodeKey(dependency);
      if (from !== key) edges.set(JSON.stringify([from, key]), { from, to: key });
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()].filter(({ from }) => nodes.has(from)) };
}

/**
 * The graph for Mermaid: readable in GitHub Markdown.
 *
 * @param actions what happens to nodes, by their keys; the sign of the action stands before the name
 */
export function graphMermaid(graph: Graph, actions: ReadonlyMap<string, Action> = new Map()): string {
  const names = new Map(graph.nodes.map((node, index) => [node.key, `n${index}`]));
  return [
    'flowchart LR',
    ...graph.nodes.map(
      (node) => `  ${names.get(node.key)}["${mermaidText(signOf(actions.get(node.key)) + node.label)}"]`,
    ),
    ...graph.edges.map(({ from, to }) => `  ${names.get(from)} --> ${names.get(to)}`),
  ].join('\n');
}

/** The graph for Graphviz. */
export function graphDot(graph: Graph): string {
  return [
    'digraph windlass {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="sans-serif"];',
    ...graph.nodes.map((node) => `  ${dotText(node.key)} [label=${dotText(node.label)}];`),
    ...graph.edges.map(({ from, to }) => `  ${dotText(from)} -> ${dotText(to)};`),
    '}',
  ].join('\n');
}

function signOf(action: Action | undefined): string {
  return action === undefined ? '' : `${SYMBOLS[action]} `;
}

function nodeKey(id: ResourceId): string {
  const batch = parseCertificateId(id)?.batch;
  return batch === undefined ? id : `certificate.${batch}`;
}

/** Mermaid decodes `#NN;` itself; everything that could be syntax goes through that. */
function mermaidText(text: string): string {
  return escapeTerminal(text).replace(
    /[^\p{L}\p{N} .,()_-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}

function dotText(text: string): string {
  return `"${escapeTerminal(text).replace(/["\\]/g, '\\$&')}"`;
}
