/** Measures of a drawn graph, in SVG units. */
export const SPACE = { height: 32, gapX: 56, gapY: 16, margin: 12 } as const;

/** Passes over the ranks that pull nodes towards their neighbours; more of them change next to nothing. */
const PASSES = 4;

/** Width up to which nodes that nothing joins stand in one row. */
const MIN_ROW = 900;

/** Places that long edges may take beside nodes; further ones are drawn straight, across what lies between. */
const MOST_LANES = 5000;

/** A node and where it stands: left and top, filled in by {@link layOut}. */
export interface Place {
  readonly key: string;
  readonly width: number;
  x: number;
  y: number;
}

/** Which way the ranks follow each other. */
export type Direction = 'rightward' | 'downward';

/** Where an edge runs: level from the first point to the second, over a bend to the third, and so on in turns. */
export type Route = readonly (readonly [x: number, y: number])[];

interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * What takes room in a rank: a node, or the place where an edge passes it. `at` is the line that edges meet, across the
 * direction of the ranks.
 */
interface Slot {
  readonly key: string;
  readonly node?: Place;
  at: number;
}

/** A rank: where it begins and ends along the direction. */
interface Column {
  readonly slots: Slot[];
  left: number;
  right: number;
}

/**
 * Places the nodes in ranks, each beyond all it depends on; an edge that passes a rank has a place of its own there, so
 * that it runs across no node. What nothing joins to others stands below, in rows.
 *
 * @param nodes in plan order: each after all it needs
 * @param edges which decide the ranks
 * @param drawn those of them that are drawn
 * @returns the way of each drawn edge, in the same order; none for one that leads nowhere
 */
export function layOut(
  nodes: readonly Place[],
  edges: readonly Edge[],
  drawn: readonly Edge[],
  direction: Direction = 'rightward',
): readonly Route[] {
  const ranks = ranksOf(nodes, edges);
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columns = columnsOf(
    nodes.filter(({ key }) => joined.has(key)),
    ranks,
  );
  const slots = new Map(columns.flatMap(({ slots: all }) => all.map((slot) => [slot.key, slot] as const)));
  const ways = waysOf(drawn, { ranks, columns, slots });
  sortColumns(
    columns,
    ways.flatMap((way) =>
      way.slice(1).map((to, index): Edge => ({ from: way[index]?.key ?? '', to: to.key })),
    ),
  );
  const across = placeColumns(columns, direction);
  const along = Math.max(SPACE.margin, ...columns.map(({ right }) => right));
  const [width, bottom] = direction === 'rightward' ? [along, across] : [across, along + SPACE.gapY];
  placeRows(
    nodes.filter(({ key }) => !joined.has(key)),
    bottom,
    Math.max(MIN_ROW, width),
  );
  const routes = ways.map((way) => routeOf(way, { columns, ranks, direction }));
  return direction === 'rightward' ? routes : routes.map((route) => route.map(([x, y]) => [y, x] as const));
}

/** Longest way from a node without dependencies. */
function ranksOf(nodes: readonly Place[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const needs = neighbours(edges.map(({ from, to }) => [to, from]));
  for (const { key } of nodes) {
    ranks.set(key, Math.max(0, ...(needs.get(key) ?? []).map((other) => (ranks.get(other) ?? -1) + 1)));
  }
  return ranks;
}

function columnsOf(nodes: readonly Place[], ranks: ReadonlyMap<string, number>): readonly Column[] {
  const columns: Column[] = [];
  for (const node of nodes) {
    const rank = ranks.get(node.key) ?? 0;
    while (columns.length <= rank) columns.push({ slots: [], left: 0, right: 0 });
    columns[rank]?.slots.push({ key: node.key, node, at: 0 });
  }
  return columns;
}

interface Laying {
  readonly ranks: ReadonlyMap<string, number>;
  readonly columns: readonly Column[];
  readonly slots: ReadonlyMap<string, Slot>;
}

/** What each edge meets from end to end, with new slots in the ranks that it passes. */
function waysOf(drawn: readonly Edge[], { ranks, columns, slots }: Laying): readonly (readonly Slot[])[] {
  let lanes = 0;
  return drawn.flatMap(({ from, to }, index) => {
    const [start, end] = [slots.get(from), slots.get(to)];
    if (start === undefined || end === undefined) return [];
    const passed = columns.slice((ranks.get(from) ?? 0) + 1, ranks.get(to) ?? 0);
    lanes += passed.length;
    if (lanes > MOST_LANES) return [[start, end]];
    const between = passed.map((column, rank): Slot => {
      const lane: Slot = { key: `\0${index} ${rank}`, at: 0 };
      column.slots.push(lane);
      return lane;
    });
    return [[start, ...between, end]];
  });
}

/** Orders each rank by the mean place of its neighbours, forth and back, so that few edges cross. */
function sortColumns(columns: readonly Column[], links: readonly Edge[]): void {
  const before = neighbours(links.map(({ from, to }) => [to, from]));
  const after = neighbours(links.map(({ from, to }) => [from, to]));
  for (let pass = 0; pass < PASSES; pass += 1) {
    const forth = pass % 2 === 0;
    const places = new Map(
      columns.flatMap(({ slots }) => slots.map((slot, index) => [slot.key, index] as const)),
    );
    for (const { slots } of forth ? columns : [...columns].reverse()) {
      const means = new Map(
        slots.map(({ key }, index) => [key, meanPlace((forth ? before : after).get(key), places) ?? index]),
      );
      slots.sort((a, b) => (means.get(a.key) ?? 0) - (means.get(b.key) ?? 0));
      for (const [index, { key }] of slots.entries()) places.set(key, index);
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

/** Ranks one after the other, each centred on the largest. @returns where, across them, the next free line begins */
function placeColumns(columns: readonly Column[], direction: Direction): number {
  const heights = columns.map(({ slots }) => slots.reduce((sum, slot) => sum + roomOf(slot, direction), 0));
  const tallest = Math.max(0, ...heights);
  let x: number = SPACE.margin;
  for (const [index, column] of columns.entries()) {
    let y = SPACE.margin + Math.round((tallest - (heights[index] ?? 0)) / 2);
    column.left = x;
    column.right =
      x + Math.max(0, ...column.slots.map(({ node }) => (node ? sizeOf(node, direction).along : 0)));
    for (const slot of column.slots) {
      slot.at = slot.node === undefined ? y : y + sizeOf(slot.node, direction).across / 2;
      if (slot.node !== undefined)
        Object.assign(slot.node, direction === 'rightward' ? { x, y } : { x: y, y: x });
      y += roomOf(slot, direction);
    }
    x = column.right + SPACE.gapX;
  }
  return SPACE.margin + tallest;
}

function roomOf({ node }: Slot, direction: Direction): number {
  return node === undefined ? SPACE.gapY : sizeOf(node, direction).across + SPACE.gapY;
}

function sizeOf({ width }: Place, direction: Direction): { readonly along: number; readonly across: number } {
  return direction === 'rightward'
    ? { along: width, across: SPACE.height }
    : { along: SPACE.height, across: width };
}

function placeRows(nodes: readonly Place[], top: number, width: number): void {
  let [x, y]: [number, number] = [SPACE.margin, top];
  for (const node of nodes) {
    if (x > SPACE.margin && x + node.width > width) {
      x = SPACE.margin;
      y += SPACE.height + SPACE.gapY;
    }
    node.x = x;
    node.y = y;
    x += node.width + SPACE.gapY;
  }
}

/** Straight while it is beside the nodes of a rank, bent only between ranks. Points are along, then across. */
function routeOf(
  way: readonly Slot[],
  { columns, ranks, direction }: Pick<Laying, 'columns' | 'ranks'> & { readonly direction: Direction },
): Route {
  const startOf = ({ x, y }: Place): number => (direction === 'rightward' ? x : y);
  const first = ranks.get(way[0]?.key ?? '') ?? 0;
  return way.flatMap(({ at, node }, index): [number, number][] => {
    const { left = 0, right = 0 } = columns[first + index] ?? {};
    if (index === 0 && node !== undefined)
      return [
        [startOf(node) + sizeOf(node, direction).along, at],
        [right, at],
      ];
    if (node !== undefined) return [[startOf(node), at]];
    return [
      [left, at],
      [right, at],
    ];
  });
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
