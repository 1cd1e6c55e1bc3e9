import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { sameAddress } from './receipt.js';

/** How a value that a read shows compares with one that was planned: a token stands for an address nobody knows now. */
type Comparison = 'same' | 'other' | 'unknown';

/**
 * Constructor parameters as a read shows them, to be compared with those of the plan: the plan's own where they mean the
 * same, those that are shown where they do not, undefined where that cannot be told.
 */
export function shownParameters(planned: Json, shown: Json | undefined): Json | undefined {
  const isNone = isJsonObject(planned) && Object.keys(planned).length === 0;
  // What was signed elsewhere is listed without parameters, whatever it was made with.
  if (shown === undefined || (shown === null && !isNone)) return undefined;
  const result = compare(planned, shown ?? {});
  if (result === 'unknown') return undefined;
  return result === 'same' ? planned : shown;
}

function compare(planned: Json, shown: Json): Comparison {
  if (typeof shown === 'string' && /^\{\w+_ADDRESS\}$/.test(shown)) return 'unknown';
  if (Array.isArray(planned) && Array.isArray(shown)) {
    const items = shown as readonly Json[];
    const own = planned as readonly Json[];
    return own.length === items.length
      ? worst(own.map((item, at) => compare(item, items[at] ?? null)))
      : 'other';
  }
  if (isJsonObject(planned)) return isJsonObject(shown) ? compareMembers(planned, shown) : 'other';
  return isSameScalar(planned, shown) ? 'same' : 'other';
}

function compareMembers(planned: JsonObject, shown: JsonObject): Comparison {
  const names = new Set([...Object.keys(planned), ...Object.keys(shown)]);
  return worst([...names].map((name) => compare(planned[name] ?? null, shown[name] ?? null)));
}

function worst(all: readonly Comparison[]): Comparison {
  if (all.includes('other')) return 'other';
  return all.includes('unknown') ? 'unknown' : 'same';
}

/** Services write numbers as text or not, in one base or another, and addresses in any case. */
function isSameScalar(planned: Json, shown: Json): boolean {
  if (planned === shown) return true;
  if (typeof planned === 'object' || typeof shown === 'object') return false;
  const [one, other] = [String(planned), String(shown)];
  if (one === other || sameAddress(one, other)) return true;
  return [one, other].every((text) => /^(?:-?\d+|0x[0-9a-fA-F]+)$/.test(text)) &&
    one.length < 80 &&
    other.length < 80
    ? BigInt(one) === BigInt(other)
    : false;
}
