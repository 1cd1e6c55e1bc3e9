import { invariant } from '../model/error.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { isPlaceholder } from '../model/value.js';

/**
 * What fills one kind of mark: given what the mark holds, the text to send. `hidden` texts are secret or personal
 * and must be masked in every message about the request.
 */
export interface MarkFiller {
  readonly hidden: boolean;
  fill(content: Json): Promise<string> | string;
}

/** A body with every mark filled, and the texts that must not be shown. */
export interface Filled {
  readonly body: JsonObject;
  readonly hidden: readonly string[];
}

/**
 * Fills the marks of a body at the last moment before it is sent. A mark is an object whose only member is a key
 * of `fillers`, such as `{"$secret": …}`. The result is for the wire only.
 *
 * @throws INTERNAL when a placeholder is left: an unresolved address must never be sent. Errors of the fillers pass through.
 */
export function fillMarks(body: JsonObject, fillers: Readonly<Record<string, MarkFiller>>): Promise<Filled> {
  return mayHoldMarks(body) ? fillBody(body, fillers) : Promise.resolve({ body, hidden: [] });
}

async function fillBody(body: JsonObject, fillers: Readonly<Record<string, MarkFiller>>): Promise<Filled> {
  const hidden: string[] = [];
  const fill = async (value: Json): Promise<Json> => {
    if (Array.isArray(value)) return Promise.all((value as readonly Json[]).map(fill));
    if (!isJsonObject(value)) return value;
    invariant(!isPlaceholder(value), 'a request still holds a placeholder');
    const members = Object.entries(value);
    const [only] = members;
    const filler = members.length === 1 && only !== undefined ? fillers[only[0]] : undefined;
    if (filler === undefined || only === undefined) return fillMembers(members, fill);
    const text = await filler.fill(only[1]);
    if (filler.hidden) hidden.push(text);
    return text;
  };
  return { body: await fillMembers(Object.entries(body), fill), hidden };
}

/** Marks begin with `$`; most bodies hold none, and a promise for each of their values is dear. */
function mayHoldMarks(value: Json): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).some(mayHoldMarks);
  if (!isJsonObject(value)) return false;
  return Object.keys(value).some((key) => key.startsWith('$') || mayHoldMarks(value[key] ?? null));
}

async function fillMembers(
  members: readonly (readonly [string, Json])[],
  fill: (value: Json) => Promise<Json>,
): Promise<JsonObject> {
  const filled = await Promise.all(members.map(async ([key, item]) => [key, await fill(item)] as const));
  return Object.fromEntries(filled);
}
