import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { referencesOf } from '../../model/value.js';

/** What shows that a thing which looks like the effect of a step was made by somebody else. */
export type Difference = 'sender' | 'parameters';

/** A thing that looks like the effect of a step, and that reads show to be somebody else's. */
export interface Other {
  /** The kind's own word and name for it, e.g. `contract Registry`. */
  readonly what: string;
  /** Its address, transaction or id: what tells it from all others. */
  readonly name: string;
  readonly differs: readonly [Difference, ...Difference[]];
}

/**
 * True when the parameters that a service shows are provably not those that were sent. Spellings of one value are equal:
 * numbers as text or in hexadecimal, addresses in any case. What cannot be compared differs in nothing: it is missing, has
 * another shape, or holds an address that was not known when it was sent.
 */
export function parametersDiffer(sent: JsonObject, shown: Json | undefined): boolean {
  if (!isJsonObject(shown)) return false;
  if (Object.keys(sent).length === 0 && Object.keys(shown).length > 0) return true;
  return Object.entries(sent).some(([name, value]) => {
    if (referencesOf(value).length > 0 || !Object.hasOwn(shown, name)) return false;
    return valuesDiffer(value, shown[name] ?? null);
  });
}

function valuesDiffer(sent: Json, shown: Json): boolean {
  const [one, other] = [scalarText(sent), scalarText(shown)];
  if (one !== undefined && other !== undefined) return one !== other;
  if (!Array.isArray(sent) || !Array.isArray(shown)) return false;
  const [items, others] = [sent as readonly Json[], shown as readonly Json[]];
  return (
    items.length !== others.length || items.some((item, index) => valuesDiffer(item, others[index] ?? null))
  );
}

/** A scalar in one spelling; undefined for lists, objects and nothing. */
function scalarText(value: Json): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  if (/^(?:-?\d{1,80}|0x[0-9a-f]{1,64})$/i.test(text)) return BigInt(text).toString();
  if (/^0x[0-9a-f]*$/i.test(text)) return text.toLowerCase();
  return text === 'true' ? '1' : text === 'false' ? '0' : text;
}
