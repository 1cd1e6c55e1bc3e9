import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { ReadAnswer } from './operation.js';

/** The objects of a list that was read; empty for any other answer. */
export function itemsOf(answer: ReadAnswer | undefined): readonly JsonObject[] {
  const value: Json | undefined = answer?.type === 'found' ? answer.value : undefined;
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

/** The object that was read; undefined for any other answer. */
export function objectOf(answer: ReadAnswer | undefined): JsonObject | undefined {
  return answer?.type === 'found' && isJsonObject(answer.value) ? answer.value : undefined;
}

/** The strings that the items have under `key`, in order. */
export function textsOf(items: readonly JsonObject[], key: string): readonly string[] {
  return items.flatMap((item) => {
    const text = item[key];
    return typeof text === 'string' ? [text] : [];
  });
}

/** The strings of a JSON array that was journaled; empty for anything else. */
export function textList(value: Json | undefined): ReadonlySet<string> {
  return new Set(
    Array.isArray(value) ? (value as readonly Json[]).filter((item) => typeof item === 'string') : [],
  );
}

/** An id that may come as a number or as text; undefined for anything else. */
export function idText(value: Json | undefined): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}
