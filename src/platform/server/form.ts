import type { Json, JsonObject } from '../../model/json.js';

type Branch = Map<string, Branch | string[]>;

const MAX_DEPTH = 8;

/**
 * Turns form fields into the object they stand for, as PHP does: `a[b][c]` nests, `x[]` and `x[0]` make an array (in
 * the order they came, gaps and all), a plain name given twice keeps its last value. Values stay strings.
 *
 * @returns undefined when a name nests too deep or contradicts another
 */
export function nestFields(
  fields: readonly (readonly [name: string, value: string])[],
): JsonObject | undefined {
  const root: Branch = new Map();
  for (const [name, value] of fields) if (!place(root, partsOf(name), value)) return undefined;
  return objectOf(root);
}

/** A field's name without the `[]`, `[0]` or `[key]` of a repeated field. */
export function plainFieldName(name: string): string {
  return name.replace(/\[[^[\]]*\]$/, '');
}

function partsOf(name: string): readonly string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match?.[1] === undefined) return [name];
  return [match[1], ...[...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1] ?? '')];
}

function place(root: Branch, parts: readonly string[], value: string): boolean {
  if (parts.length > MAX_DEPTH) return false;
  const repeated = parts.length > 1 && parts.at(-1) === '';
  const path = repeated ? parts.slice(0, -1) : parts;
  let branch = root;
  for (const part of path.slice(0, -1)) {
    const next = branch.get(part) ?? new Map<string, never>();
    if (Array.isArray(next)) return false;
    branch.set(part, next);
    branch = next;
  }
  const leaf = path.at(-1) ?? '';
  const held = branch.get(leaf);
  if (held instanceof Map) return false;
  // One value in a list means a plain field; the empty string first marks a repeated one.
  branch.set(leaf, repeated ? [...(held ?? ['']), value] : [value]);
  return true;
}

function objectOf(branch: Branch): JsonObject {
  return Object.fromEntries([...branch].map(([name, value]) => [name, valueOf(value)] as const));
}

function valueOf(value: Branch | string[]): Json {
  if (Array.isArray(value)) return value.length === 1 ? (value[0] ?? '') : value.slice(1);
  const keys = [...value.keys()];
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) return [...value.values()].map(valueOf);
  return objectOf(value);
}
