import type { ResourceId } from './id.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';

/**
 * Marked values inside the inputs of a resource. All are plain JSON, so that inputs can be hashed and saved;
 * a plan's own maps may not use these member names.
 *
 * - `{"$placeholder": ["text", {"ref": "contract.core.Token"}, …]}` a string whose `ref` parts are addresses
 *   known only when applied.
 * - `{"$secret": {"env": "NAME"} | {"file": "path"}}` a value from the environment or a file, read by the
 *   door that sends it and never written.
 * - `{"$personal": "text"}` personal data written in the plan itself; sent, never written anywhere else.
 */
export const MARKS = ['$placeholder', '$secret', '$personal'] as const;

/** A string with address placeholders, in order. */
export type Placeholder = { readonly $placeholder: readonly (string | { readonly ref: ResourceId })[] };

/** Where a secret comes from. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A secret by reference. */
export type Secret = { readonly $secret: SecretSource };

/** Personal data given literally. */
export type Personal = { readonly $personal: string };

/** True for a {@link Placeholder}. */
export function isPlaceholder(value: Json): value is Placeholder {
  return isJsonObject(value) && Array.isArray(value['$placeholder']);
}

/** A placeholder that is nothing but the address of one resource. */
export function addressPlaceholder(ref: ResourceId): Placeholder {
  return { $placeholder: [{ ref }] };
}

/** The ids that a value's placeholders name, in order of appearance, each once. */
export function referencesOf(value: Json): readonly ResourceId[] {
  const found = new Set<ResourceId>();
  visit(value, (placeholder) => {
    for (const part of placeholder.$placeholder) if (typeof part !== 'string') found.add(part.ref);
  });
  return [...found];
}

/**
 * The value with every placeholder replaced by text.
 *
 * @param textOf the text of a reference (an address, or the service's own token inside one request);
 * undefined keeps that whole placeholder as it is.
 */
export function fillPlaceholders(value: Json, textOf: (ref: ResourceId) => string | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isPlaceholder(value)) {
    const parts = value.$placeholder.map((part) => (typeof part === 'string' ? part : textOf(part.ref)));
    return parts.includes(undefined) ? value : parts.join('');
  }
  if (Array.isArray(value)) return mapItems(value, (item) => fillPlaceholders(item, textOf));
  if (isJsonObject(value)) return mapMembers(value, (item) => fillPlaceholders(item, textOf));
  return value;
}

/** The value without secrets and personal data: what may be hashed, saved and shown. */
export function publicView(value: Json): Json {
  if (Array.isArray(value)) return mapItems(value, publicView);
  if (!isJsonObject(value)) return value;
  if ('$secret' in value) return { $secret: value['$secret'] ?? null };
  if ('$personal' in value) return { $personal: '•••' };
  return mapMembers(value, publicView);
}

function visit(value: Json, found: (placeholder: Placeholder) => void): void {
  if (isPlaceholder(value)) found(value);
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(item, found);
  else if (isJsonObject(value)) for (const item of Object.values(value)) visit(item, found);
}

/** The object itself when nothing changes: most inputs hold nothing to fill or to hide. @param change leaves all but objects as they are */
function mapMembers(value: JsonObject, change: (item: Json) => Json): JsonObject {
  let made: { [name: string]: Json | undefined } | undefined;
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (typeof item !== 'object' || item === null) continue;
    const changed = change(item);
    if (changed === item) continue;
    // A copy has every name already, so that setting one of them sets that one, whatever it is.
    made ??= { ...value };
    made[name] = changed;
  }
  return made === undefined ? value : (made as JsonObject);
}

/** The list itself when nothing changes. */
function mapItems(items: readonly Json[], change: (item: Json) => Json): readonly Json[] {
  let made: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'object' || item === null) continue;
    const changed = change(item);
    if (changed === item) continue;
    made ??= [...items];
    made[index] = changed;
  }
  return made ?? items;
}
