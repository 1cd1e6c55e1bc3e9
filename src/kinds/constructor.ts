import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import { itemsOf } from './listing.js';

/** An artifact of a version, as its detail shows it. */
export interface CompiledContract {
  readonly artifactId: number;
  readonly name: string;
  readonly abi: readonly JsonObject[];
  readonly bytecode: string;
  /** URL of its source; empty where the service shows none. */
  readonly sourceUrl: string;
}

/** The artifacts of a version detail. */
export function compiledContracts(detail: JsonObject): readonly CompiledContract[] {
  return asItems(detail['artifacts']).flatMap((artifact) => {
    const name = textMember(artifact, 'contract_name');
    const id = artifact['id'];
    if (name === undefined || typeof id !== 'number') return [];
    return [
      {
        artifactId: id,
        name,
        abi: asItems(artifact['contract_abi']),
        bytecode: textMember(artifact, 'bytecode') ?? '0x',
        sourceUrl: textMember(artifact, 'source_code') ?? '',
      },
    ];
  });
}

/** Why a compiled contract cannot be deployed by the service, whatever its parameters; undefined when it can. */
export function artifactProblem({ name, bytecode }: CompiledContract): string | undefined {
  if (bytecode === '0x' || bytecode === '')
    return `${name} is abstract or an interface and cannot be deployed`;
  return bytecode.includes('__$')
    ? `${name} calls a library that would have to be linked, which the service does not do: make the library's functions internal`
    : undefined;
}

/**
 * Why the parameters do not fit the compiled constructor, or undefined when they do. Names are compared exactly,
 * leading underscores included, because the service keys parameters by ABI name.
 */
export function parameterProblem(contract: CompiledContract, params: JsonObject): string | undefined {
  const expected = asItems(contract.abi.find((item) => item['type'] === 'constructor')?.['inputs'] ?? []);
  const names = expected.map((input) => textMember(input, 'name') ?? '');
  const signature = `${contract.name}(${expected.map((input) => `${textMember(input, 'type')} ${textMember(input, 'name')}`).join(', ')})`;
  const missing = names.filter((name) => !Object.hasOwn(params, name));
  const unknown = Object.keys(params).filter((name) => !names.includes(name));
  if (missing.length > 0) return `${signature} lacks ${missing.join(', ')}`;
  if (unknown.length > 0) return `${signature} has no parameter ${unknown.join(', ')}`;
  return undefined;
}

function asItems(value: Json | undefined): readonly JsonObject[] {
  return itemsOf({ type: 'found', value: value ?? null, source: 'read' });
}

/** A deployed contract, as the platform lists it. */
export interface ShownInstance {
  readonly name: string;
  readonly address: string;
  /** Its constructor parameters as the service shows them; only the list of instances has them. */
  readonly params?: Json;
}

/** The instances that a version detail shows, in its order. */
export function shownInstances(detail: JsonObject): readonly ShownInstance[] {
  return asItems(detail['emitted_events']).flatMap((item) => {
    const address = textMember(item, 'contract_address');
    const name = member(item, 'contract_name');
    return address === undefined || typeof name !== 'string' ? [] : [{ name, address }];
  });
}
