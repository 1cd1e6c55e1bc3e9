import { isJsonObject, type Json } from '../../../model/json.js';

const TOKEN = /^\{([A-Za-z_$][A-Za-z0-9_$]*)_ADDRESS\}$/;

/** The contract that a parameter names as `{Name_ADDRESS}`; the whole text must be the token. */
function placeholderOf(value: Json): string | undefined {
  return typeof value === 'string' ? TOKEN.exec(value)?.[1] : undefined;
}

/** All contracts that a parameter value names, also inside arrays and tuples, in the order of appearance. */
export function placeholdersIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(placeholdersIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(placeholdersIn);
  const name = placeholderOf(value);
  return name === undefined ? [] : [name];
}

/** The value with every `{Name_ADDRESS}` replaced; a name without an address stays as it is. */
export function fillPlaceholders(value: Json, addresses: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => fillPlaceholders(item, addresses));
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => [key, fillPlaceholders(item, addresses)] as const,
    );
    return Object.fromEntries(entries);
  }
  return addresses.get(placeholderOf(value) ?? '') ?? value;
}
