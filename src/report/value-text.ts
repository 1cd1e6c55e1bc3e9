import type { FieldChange } from '../model/change.js';
import { kindOf, nameOf, type KindName, type ResourceId } from '../model/id.js';
import { isJsonObject, textMember, type Json } from '../model/json.js';
import { isPlaceholder, referencesOf } from '../model/value.js';
import { shorten } from './escape.js';
import { grouped } from './palette.js';

/** UTF-16 units of one value in a report that is not asked for everything. */
export const VALUE_LIMIT = 96;

/** One leaf of a value: its path from the root, e.g. `params.cap` or `attributes[2].value`. */
export interface Leaf {
  readonly path: string;
  readonly value: Json;
}

/** The leaves of a value in order. Marks, files and lists of scalars count as one leaf each. */
export function leavesOf(value: Json, path = ''): readonly Leaf[] {
  if (isLeaf(value)) return [{ path, value }];
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item, index) => leavesOf(item, `${path}[${index}]`));
  }
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, item]) =>
    leavesOf(item, path === '' ? key : `${path}.${key}`),
  );
}

/**
 * A value for people, unescaped. An address that is not known yet reads `(known after Token deploys)`; secrets
 * and personal data are named, never shown. `limit` cuts long text.
 */
export function valueText(value: Json, limit = VALUE_LIMIT): string {
  if (isPlaceholder(value)) return placeholderText(value.$placeholder);
  if (typeof value === 'string') {
    return isDigest(value) ? `${value.slice(0, 19)}…` : shorten(JSON.stringify(value), limit);
  }
  if (!isJsonObject(value)) return shorten(JSON.stringify(value), limit);
  if ('$secret' in value) return secretText(value['$secret'] ?? null);
  if ('$personal' in value) return '(personal data)';
  return objectText(value, limit);
}

/** A value of a known Solidity type: numbers and addresses stand without quotes, as Solidity writes them. */
export function typedText(value: Json, type: string, limit = VALUE_LIMIT): string {
  const plain = typeof value === 'string' && /^(?:u?int\d*|address|bytes\d*|bool)$/.test(type);
  return plain && /^[\w-]*$/.test(value) ? shorten(value, limit) : valueText(value, limit);
}

/** `before → after`, or the one side that there is. */
export function fieldText(field: FieldChange, limit = VALUE_LIMIT): string {
  const before = field.before === undefined ? undefined : valueText(field.before, limit);
  const after = field.after === undefined ? undefined : valueText(field.after, limit);
  if (before === undefined) return after ?? '';
  return `${before} → ${after ?? '(absent)'}`;
}

/** What happens to a resource when its address becomes known. */
function knownAfter(ids: readonly ResourceId[]): string {
  return `(known after ${ids.map(eventOf).join(' and ')})`;
}

const VERBS: Partial<Record<KindName, string>> = { contract: 'deploys', deployment: 'deploys' };

function eventOf(id: ResourceId): string {
  const name = kindOf(id) === 'contract' ? nameOf(id).replace(/^[^.]*\./, '') : nameOf(id);
  return `${name} ${VERBS[kindOf(id)] ?? 'is created'}`;
}

function placeholderText(parts: readonly (string | { readonly ref: ResourceId })[]): string {
  const ids = referencesOf({ $placeholder: parts });
  if (parts.length === 1) return knownAfter(ids);
  const text = parts.map((part) => (typeof part === 'string' ? part : `<${nameOf(part.ref)}>`)).join('');
  return `${JSON.stringify(text)} ${knownAfter(ids)}`;
}

function secretText(source: Json): string {
  const env = textMember(source, 'env');
  return env === undefined ? '(secret from a file)' : `(secret from ${env})`;
}

function objectText(value: Readonly<Record<string, Json>>, limit: number): string {
  if (isFile(value)) return `${value['path']} (${grouped(value['sizeBytes'])} bytes)`;
  return shorten(JSON.stringify(value), limit);
}

function isLeaf(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' || item === null);
  if (isPlaceholder(value) || isFile(value)) return true;
  return '$secret' in value || '$personal' in value || Object.keys(value).length === 0;
}

function isFile(value: Json): value is { readonly path: string; readonly sizeBytes: number } {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['sizeBytes'] === 'number';
}

function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
