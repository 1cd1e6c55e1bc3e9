/** A JSON value: what is hashed, journaled, and sent. Numbers are safe integers or finite decimals. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** True for a plain JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy with other members, or more. A spread that is followed by new members gives each copy a hidden class of its own,
 * which takes V8 longer than all the rest of a step's event (Node 20, `npm run bench:overhead`).
 *
 * @param base no foreign object: a member `__proto__` would be lost
 */
export function withMembers<Base extends object, More extends object>(base: Base, more: More): Base & More {
  return Object.assign({}, base, more);
}

/** The member `key` of an object value, or undefined when the value is no object or lacks it. */
export function member(value: unknown, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The string member `key`, or undefined when it is missing or of another type. */
export function textMember(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' ? found : undefined;
}
