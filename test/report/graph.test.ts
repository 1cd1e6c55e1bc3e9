import { describe, expect, it } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import type { AnyResource } from '../../src/model/resource.js';
import { graphDot, graphMermaid, graphOf } from '../../src/report/graph.js';
import { graphSvg } from '../../src/report/graph-svg.js';
import { HOSTILE } from './samples.js';

function tag(id: ResourceId, dependsOn: readonly ResourceId[] = []): AnyResource {
  return { id, kind: 'tag', inputs: { name: id }, dependsOn, declaredAt: { line: 1, column: 1 } };
}

function certificate(id: ResourceId, dependsOn: readonly ResourceId[]): AnyResource {
  return { ...tag(id, dependsOn), kind: 'certificate' } as unknown as AnyResource;
}

const resources = [
  tag('tag.a'),
  tag('tag.b', ['tag.a']),
  certificate('certificate.class[1]', ['tag.a', 'tag.b']),
  certificate('certificate.class[2]', ['tag.b']),
  tag('tag.c', ['certificate.class[2]']),
];

describe('a graph', () => {
  it('has one node per batch and each edge once', () => {
    expect(graphOf(resources)).toEqual({
      nodes: [
        { key: 'tag.a', kind: 'tag', label: 'tag.a' },
        { key: 'tag.b', kind: 'tag', label: 'tag.b' },
        { key: 'certificate.class', kind: 'certificate', label: 'certificate.class (2 certificates)' },
        { key: 'tag.c', kind: 'tag', label: 'tag.c' },
      ],
      edges: [
        { from: 'tag.a', to: 'tag.b' },
        { from: 'tag.a', to: 'certificate.class' },
        { from: 'tag.b', to: 'certificate.class' },
        { from: 'certificate.class', to: 'tag.c' },
      ],
    });
  });

  it('is Mermaid and Graphviz text', () => {
    expect(graphMermaid(graphOf(resources.slice(0, 2)))).toMatchInlineSnapshot(`
      "flowchart LR
        n0["tag.a"]
        n1["tag.b"]
        n0 --> n1"
    `);
    expect(graphDot(graphOf(resources.slice(0, 2)))).toMatchInlineSnapshot(`
      "digraph windlass {
        rankdir=LR;
        node [shape=box, fontname="sans-serif"];
        "tag.a" [label="tag.a"];
        "tag.b" [label="tag.b"];
        "tag.a" -> "tag.b";
      }"
    `);
  });

  it('draws each node right of everything it depends on', () => {
    const svg = graphSvg(graphOf(resources));
    const x = [...svg.matchAll(/<rect x="(\d+)"/g)].map((match) => Number(match[1]));
    expect(x).toHaveLength(4);
    expect(x).toEqual([...x].sort((a, b) => a - b));
    expect(new Set(x).size).toBe(4);
  });

  it('draws nothing for a plan without resources', () => {
    expect(graphSvg(graphOf([]))).toContain('<svg');
    expect(graphMermaid(graphOf([]))).toBe('flowchart LR');
  });

  it('lets no name be syntax', () => {
    for (const name of HOSTILE) {
      const graph = graphOf([tag(`tag.${name}`), tag('tag.x', [`tag.${name}`])]);
      expect(graphMermaid(graph).split('\n')).toHaveLength(4);
      expect(graphMermaid(graph)).not.toMatch(/["`<>|].*["`<>|].*["`<>|]|[^\P{Cc}\n]|\p{Cf}/u);
      expect(graphSvg(graph)).not.toMatch(/<\/script|<img|[^\P{Cc}\n]|\p{Cf}/u);
      expect(graphDot(graph).split('\n')).toHaveLength(7);
    }
  });
});
