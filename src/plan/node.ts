/** A stretch of a text in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A scalar. `text` is what the author wrote without quotes, so that `007` and long numbers stay exact. */
export interface ScalarNode {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  readonly text: string;
  readonly span: Span;
}

/** A list; may be empty. */
export interface ListNode {
  readonly type: 'list';
  readonly items: readonly PlanNode[];
  readonly span: Span;
}

/** One key of a map with its value. */
export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: PlanNode;
}

/** A map in file order; each key once. */
export interface MapNode {
  readonly type: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
  readonly span: Span;
}

/** Something that a diagnostic was made for already: readers pass over it in silence. */
export interface BrokenNode {
  readonly type: 'broken';
  readonly span: Span;
}

/** A node of a plan's document. */
export type PlanNode = ScalarNode | ListNode | MapNode | BrokenNode;

/** The entries of a map in file order; empty for everything else. */
export function entriesOf(node: PlanNode | undefined): readonly Entry[] {
  return node?.type === 'map' ? [...node.entries.values()] : [];
}

/** The value under a key; undefined when the node is no map or lacks the key. */
export function child(node: PlanNode | undefined, ...path: readonly string[]): PlanNode | undefined {
  let found = node;
  for (const key of path) found = found?.type === 'map' ? found.entries.get(key)?.value : undefined;
  return found;
}

/** Where a key of a map stands; undefined when the node is no map or lacks the key. */
export function keySpanOf(node: PlanNode | undefined, key: string): Span | undefined {
  return node?.type === 'map' ? node.entries.get(key)?.keySpan : undefined;
}

/** The items of a list; empty for everything else. */
export function itemsOf(node: PlanNode | undefined): readonly PlanNode[] {
  return node?.type === 'list' ? node.items : [];
}

/** A scalar that carries text: a string or a number as written, not a boolean, not null. */
export function scalarOf(node: PlanNode | undefined): ScalarNode | undefined {
  return node?.type === 'scalar' && node.value !== null && typeof node.value !== 'boolean' ? node : undefined;
}

/** The text of {@link scalarOf}. */
export function textOf(node: PlanNode | undefined): string | undefined {
  return scalarOf(node)?.text;
}

/** The integer of a scalar, or undefined. */
export function integerOf(node: PlanNode | undefined): number | undefined {
  return node?.type === 'scalar' && typeof node.value === 'number' ? node.value : undefined;
}

/** The boolean of a scalar, or undefined. */
export function booleanOf(node: PlanNode | undefined): boolean | undefined {
  return node?.type === 'scalar' && typeof node.value === 'boolean' ? node.value : undefined;
}

/** Maps as objects without prototype, lists as arrays, broken parts as null: what the schema validates. */
export function plainValue(node: PlanNode): unknown {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'list') return node.items.map(plainValue);
  if (node.type === 'broken') return null;
  const plain = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of node.entries.values()) plain[key] = plainValue(value);
  return plain;
}
