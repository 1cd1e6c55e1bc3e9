import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourceId } from '../../src/model/id.js';
import type { AnyResource } from '../../src/model/resource.js';
import type { Draft } from '../../src/plan/draft.js';
import { orderDrafts } from '../../src/plan/graph.js';
import { collectProblems } from '../../src/plan/problems.js';

/** Drafts by index; `needs[i]` are the indices that draft i depends on. */
function drafts(needs: readonly (readonly number[])[]): readonly Draft[] {
  const id = (at: number) => resourceId('category', String(at));
  return needs.map((targets, at) => ({
    resource: { id: id(at), kind: 'category', inputs: { name: String(at) } } as AnyResource,
    edges: targets.map((to) => ({ to: id(to), at: { start: at, end: at + 1 } })),
    at: { start: at, end: at + 1 },
  }));
}

function order(needs: readonly (readonly number[])[]) {
  const problems = collectProblems('windlass.yaml', 'x'.repeat(needs.length + 1));
  const ordered = orderDrafts(drafts(needs), problems);
  return { order: ordered?.map(({ at }) => at.start), diagnostics: problems.all() };
}

/** A random graph without circles: each may need those before it in a hidden order, which is not the file's. */
const acyclic = fc
  .integer({ min: 1, max: 25 })
  .chain((size) =>
    fc.tuple(
      fc.shuffledSubarray(
        Array.from({ length: size }, (_, at) => at),
        { minLength: size },
      ),
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 60 }),
    ),
  )
  .map(([hidden, pairs]) =>
    hidden.map((rank, at) =>
      pairs.filter(([from, to]) => from === at && (hidden[to] ?? 0) < rank).map(([, to]) => to),
    ),
  );

test('dependencies come first, and of those that could come next, the first in the file', () => {
  fc.assert(
    fc.property(acyclic, (needs) => {
      const found = order(needs).order ?? [];
      const placed = new Set<number>();
      for (const next of found) {
        const ready = needs.flatMap((targets, at) =>
          !placed.has(at) && targets.every((target) => placed.has(target)) ? [at] : [],
        );
        expect(next).toBe(Math.min(...ready));
        placed.add(next);
      }
      expect(placed.size).toBe(needs.length);
    }),
  );
});

test('a circle is reported once, with its whole trail', () => {
  const { order: none, diagnostics } = order([[], [3, 0], [1], [2, 0], [3]]);
  expect(none).toBeUndefined();
  expect(diagnostics.map(({ code }) => code)).toEqual(['PLAN_CYCLE']);
  expect(diagnostics[0]?.message).toContain(
    'category.1 (1:2) → category.3 (1:4) → category.2 (1:3) → category.1',
  );
});

test('every graph is either ordered or has a circle to show', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );
  fc.assert(
    fc.property(graph, (needs) => {
      const { order: found, diagnostics } = order(needs);
      expect(found === undefined).toBe(diagnostics.length > 0);
    }),
  );
});

test('ten thousand resources in a chain are put in order without recursion', () => {
  const needs = Array.from({ length: 10_000 }, (_, at) => (at < 9_999 ? [at + 1] : []));
  expect(order(needs).order?.[0]).toBe(9_999);
});
