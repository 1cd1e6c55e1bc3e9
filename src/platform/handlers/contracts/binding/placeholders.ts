import { isJsonObject, type Json } from '../../../../model/json.js';
import type { StandingContract } from './standing.js';

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

/** A contract of a deploy request, by what a token can say of it. */
export interface NamedPlace {
  readonly name: string;
  readonly order: number;
  /** True for the contract whose parameter holds the token. */
  readonly isItself: boolean;
}

/**
 * Why a token leads to no one contract; undefined when it does. What the request deploys under a name hides what stands
 * under it, so a contract that comes later must not let the token fall through to one of another deployment.
 */
export function bindingFault(
  token: { readonly name: string; readonly order: number },
  to: { readonly places: readonly NamedPlace[]; readonly standing: readonly StandingContract[] },
): string | undefined {
  const { name, order } = token;
  const [one, ...others] = to.places.filter((place) => place.name === name);
  if (one === undefined) return standingFault(name, to.standing);
  if (others.length > 0) {
    const orders = [one, ...others].map((place) => String(place.order)).join(', ');
    return `which could be each contract of this name in the request (order ${orders}): give an address.`;
  }
  if (one.isItself) return 'which is this contract itself.';
  if (one.order < order) return undefined;
  const when = one.order === order ? 'is deployed at the same place' : 'comes later in this request';
  return `but ${name} ${when} (order ${String(one.order)}).`;
}

function standingFault(name: string, [only, second]: readonly StandingContract[]): string | undefined {
  if (only === undefined) return `but no ${name} is deployed before it.`;
  if (second !== undefined)
    return `which could be each of several contracts of this version that stand: give an address.`;
  return only.isPending ? `but ${name} is still being deployed.` : undefined;
}
