import type { Json } from '../model/json.js';
import { nameOf, type ResourceId } from '../model/id.js';
import type { Lock } from '../state/lock.js';
import { escapeTerminal } from './escape.js';
import { padCells, cellsOf } from './width.js';

/** Addresses of a lock by resource id, sorted by id; resources without an address are left out. */
export function addressesOf(lock: Lock): ReadonlyMap<ResourceId, string> {
  const found = [...lock.entries.values()].flatMap(({ id, outputs }) =>
    outputs.address === undefined ? [] : [[id, outputs.address] as const],
  );
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document of `outputs --format json`: `{"addresses": {id: address}}`. */
export function outputsJson(addresses: ReadonlyMap<ResourceId, string>): Json {
  return { addresses: Object.fromEntries(addresses) };
}

/**
 * `NAME_ADDRESS=0x…` lines for a shell or a `.env` file, quoted, never to be split or expanded. A name that two
 * resources share is qualified with all of its id; if even that is not unique, the second gets a number.
 */
export function outputsEnv(addresses: ReadonlyMap<ResourceId, string>): string {
  return namedAddresses(addresses)
    .map(({ name, address }) => `${name}='${address.replaceAll("'", `'\\''`)}'`)
    .join('\n');
}

/** A TypeScript module with one typed constant: resource id → address. */
export function outputsTs(addresses: ReadonlyMap<ResourceId, string>): string {
  const lines = [...addresses].map(([id, address]) => `  ${literal(id)}: ${literal(address)},`);
  return ['export const addresses = {', ...lines, '} as const;'].join('\n');
}

/** A table of ids and addresses for people. */
export function addressTable(addresses: ReadonlyMap<string, string>): string {
  const rows = [...addresses].map(([id, address]) => [escapeTerminal(id), escapeTerminal(address)] as const);
  const width = Math.max(0, ...rows.map(([id]) => cellsOf(id)));
  return rows.map(([id, address]) => `  ${padCells(id, width)}  ${address}`).join('\n');
}

function namedAddresses(
  addresses: ReadonlyMap<ResourceId, string>,
): readonly { readonly name: string; readonly address: string }[] {
  const ids = [...addresses.keys()];
  const shortNames = ids.map((id) => variable(nameOf(id).replace(/^.*\.(?=.)/, '')));
  const used = new Set<string>();
  return [...addresses].map(([id, address], index) => {
    const short = shortNames[index] ?? '';
    const unique = shortNames.filter((other) => other === short).length === 1;
    const name = unusedName(unique ? short : variable(id), used);
    used.add(name);
    return { name: `${name}_ADDRESS`, address };
  });
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  let candidate = name;
  for (let number = 2; used.has(candidate); number += 1) candidate = `${name}_${number}`;
  return candidate;
}

/** Upper snake case: `TokenSale` and `token-sale` both become `TOKEN_SALE`. */
function variable(text: string): string {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(words) ? words : `_${words}`;
}

/** JSON is TypeScript; line separators are escaped for older readers. */
function literal(text: string): string {
  return JSON.stringify(text).replace(
    /[\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
