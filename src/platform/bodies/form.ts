import type { Json, JsonObject } from '../../model/json.js';
import { invalid, type ServiceError } from '../handlers/handler.js';

/** Fields of one form. */
export const FIELDS = 2000;

/** Longest name of a field, in characters. */
export const NAME_LENGTH = 200;

const LEVELS = 8;

type Branch = Map<string, Branch | string[]>;

/**
 * Turns form fields into the object they stand for, as PHP does: `a[b][c]` nests, `x[]` and `x[0]` make an array (in
 * the order they came, gaps and all), a plain name given twice keeps its last value. Values stay strings.
 *
 * @throws ServiceError 422 when there are too many, or a name is too long, nests too deep or contradicts another
 */
export function nestFields(fields: readonly (readonly [name: string, value: string])[]): JsonObject {
  if (fields.length > FIELDS)
    throw wrong('body', `The form must not have more than ${String(FIELDS)} fields.`);
  const root: Branch = new Map();
  for (const [name, value] of fields) {
    if (name.length > NAME_LENGTH)
      throw wrong(
        'body',
        `The name of a form field must not be longer than ${String(NAME_LENGTH)} characters.`,
      );
    const parts = partsOf(name);
    if (parts.length > LEVELS)
      throw wrong(
        parts[0] ?? name,
        `The name of a form field must not nest deeper than ${String(LEVELS)} levels.`,
      );
    if (!place(root, parts, value)) throw wrong(parts[0] ?? name, 'The form fields contradict one another.');
  }
  return objectOf(root);
}

/** A field's name without the `[]`, `[0]` or `[key]` of a repeated field. */
export function plainFieldName(name: string): string {
  return name.replace(/\[[^[\]]*\]$/, '');
}

function wrong(field: string, text: string): ServiceError {
  return invalid({ [field]: [text] });
}

/** `a[b][]` in its parts: `a`, `b` and the empty one. A name that is not written so is one part. */
function partsOf(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const inner = name.slice(open + 1, -1).split('][');
  const isPlain = [name.slice(0, open), ...inner].every((part) => !/[[\]]/.test(part));
  return isPlain ? [name.slice(0, open), ...inner] : [name];
}

function place(root: Branch, parts: readonly string[], value: string): boolean {
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
  if (!repeated) branch.set(leaf, [value]);
  else if (held) held.push(value);
  else branch.set(leaf, ['', value]);
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
