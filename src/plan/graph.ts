import type { ResourceId } from '../model/id.js';
import type { Draft } from './draft.js';
import type { Problems } from './problems.js';

/**
 * Drafts with dependencies first; of those that could come next, the first in file order comes. Edges to what is
 * not drafted are ignored. A circle is reported once with its trail, and undefined is returned.
 */
export function orderDrafts(drafts: readonly Draft[], problems: Problems): readonly Draft[] | undefined {
  const index = new Map(drafts.map((draft, at) => [draft.resource.id, at]));
  const needs = drafts.map((draft) => uniqueTargets(draft, index));
  const neededBy: number[][] = drafts.map(() => []);
  for (const [at, targets] of needs.entries()) for (const target of targets) neededBy[target]?.push(at);
  const open = needs.map((targets) => targets.length);
  const ready = heapOf(open.flatMap((count, at) => (count === 0 ? [at] : [])));
  const ordered: Draft[] = [];
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    const draft = drafts[at];
    if (draft !== undefined) ordered.push(draft);
    for (const waiting of neededBy[at] ?? []) {
      const left = (open[waiting] ?? 0) - 1;
      open[waiting] = left;
      if (left === 0) ready.push(waiting);
    }
  }
  if (ordered.length === drafts.length) return ordered;
  const stuck = new Set(open.flatMap((count, at) => (count > 0 ? [at] : [])));
  reportCycles(drafts, needs, stuck, problems);
  return undefined;
}

function uniqueTargets(draft: Draft, index: ReadonlyMap<ResourceId, number>): readonly number[] {
  return [...new Set(draft.edges.flatMap(({ to }) => index.get(to) ?? []))];
}

/** Walks from each stuck draft along stuck dependencies until a draft repeats: the walk's tail is a circle. */
function reportCycles(
  drafts: readonly Draft[],
  needs: readonly (readonly number[])[],
  stuck: ReadonlySet<number>,
  problems: Problems,
): void {
  const done = new Set<number>();
  for (const start of stuck) {
    const trail = new Set<number>();
    let at: number | undefined = start;
    while (at !== undefined && !done.has(at) && !trail.has(at)) {
      trail.add(at);
      at = needs[at]?.find((target) => stuck.has(target));
    }
    const walk = [...trail];
    if (at !== undefined && !done.has(at)) reportCycle(drafts, walk.slice(walk.indexOf(at)), problems);
    for (const walked of trail) done.add(walked);
  }
}

/** Most places that a circle is told with; of a longer one, its two ends. */
const MOST_SHOWN = 20;

function reportCycle(drafts: readonly Draft[], circle: readonly number[], problems: Problems): void {
  const lowest = circle.indexOf(circle.reduce((least, at) => Math.min(least, at), Infinity));
  const turned = [...circle.slice(lowest), ...circle.slice(0, lowest)].flatMap((at) => drafts[at] ?? []);
  const steps = turned.map((draft, at) => {
    const next = turned[(at + 1) % turned.length]?.resource.id;
    const edge = draft.edges.find(({ to }) => to === next);
    return { id: draft.resource.id, at: edge?.at ?? draft.at };
  });
  const [first] = steps;
  if (first === undefined) return;
  const shown =
    steps.length <= MOST_SHOWN ? steps : [...steps.slice(0, MOST_SHOWN / 2), ...steps.slice(-MOST_SHOWN / 2)];
  const places = shown.map(({ id, at }) => {
    const { line, column } = problems.positionOf(at.start);
    return `${id} (${line}:${column})`;
  });
  if (shown.length < steps.length) places.splice(MOST_SHOWN / 2, 0, `${steps.length - shown.length} more`);
  problems.report({
    code: 'PLAN_CYCLE',
    at: first.at,
    message: `Resources need one another in a circle: ${[...places, first.id].join(' → ')}.`,
    fix: 'Break the circle at one of these places, for instance by setting the address after deployment.',
  });
}

interface Heap {
  readonly push: (value: number) => void;
  readonly pop: () => number | undefined;
}

/** A binary heap that gives the smallest number first. */
function heapOf(ascending: readonly number[]): Heap {
  const heap = [...ascending];
  const at = (index: number): number => heap[index] ?? Infinity;
  const swap = (a: number, b: number): void => {
    const value = at(a);
    heap[a] = at(b);
    heap[b] = value;
  };
  return {
    push: (value) => {
      let index = heap.push(value) - 1;
      for (let up = (index - 1) >> 1; index > 0 && at(index) < at(up); up = (index - 1) >> 1) {
        swap(index, up);
        index = up;
      }
    },
    pop: () => {
      const smallest = heap[0];
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return smallest;
      heap[0] = last;
      for (let index = 0; ;) {
        const left = 2 * index + 1;
        const least = at(left) <= at(left + 1) ? left : left + 1;
        if (at(least) >= at(index)) return smallest;
        swap(index, least);
        index = least;
      }
    },
  };
}
