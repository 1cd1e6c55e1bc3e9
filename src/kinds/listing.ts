import { isJsonObject, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Known, ReadAnswer } from './operation.js';
import { sameAddress } from './receipt.js';

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

/**
 * What a list held under `key` before a write, for its pre-image; null when the list could not be read, because then
 * nothing in it can be told to be new.
 */
export function namesBefore(answer: ReadAnswer | undefined, key: string): readonly string[] | null {
  if (answer?.type !== 'found') return null;
  return itemsOf(answer).flatMap((item) => idText(item[key]) ?? []);
}

/** The items of a list that were not there before the write and belong to no other attempt; `context.before` says what was. */
export function newItems(answer: ReadAnswer | undefined, key: string, known: Known): readonly JsonObject[] {
  const names = known.context['before'];
  if (!Array.isArray(names)) return [];
  const before = new Set(names as readonly Json[]);
  return itemsOf(answer).filter((item) => {
    const name = idText(item[key]);
    return name !== undefined && !before.has(name) && !known.isTaken(name);
  });
}

/**
 * Of the things that a list shows, those that the answered transaction may have made: what another transaction made is not
 * ours, also where it bears our name. A middlebox that delivers a request twice makes two, and either may be shown first.
 */
export function ofAnswered(items: readonly JsonObject[], known: Known): readonly JsonObject[] {
  const answered = textMember(known.ids, 'transactionHash');
  if (answered === undefined) return items;
  return items.filter((item) => {
    const made = textMember(item, 'transactionHash');
    return made === undefined || sameAddress(made, answered);
  });
}

/** True when a pre-image was had and does not hold the name. */
export function isNew(name: string, before: Json | undefined): boolean {
  return Array.isArray(before) && !before.includes(name);
}

/**
 * True for an answer or a read that tells of a thing of another name: something on the way gave another request's answer.
 *
 * @param key the member that holds the name; what lacks it tells nothing
 */
export function tellsOfAnother(told: Json | undefined, key: string, name: Json | undefined): boolean {
  const shown = textMember(told, key);
  return shown !== undefined && shown !== name;
}

/** The one item of a list; undefined when there is none or a choice. */
export function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** An id that may come as a number or as text; undefined for anything else. */
export function idText(value: Json | undefined): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}
