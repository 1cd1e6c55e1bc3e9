import { createContract, type ParsedABI } from 'micro-eth-signer/abi.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../../model/json.js';
import { checksummed } from '../../chain/signing.js';

/** A parameter of the ABI. */
export interface AbiInput {
  readonly name: string;
  readonly type: string;
  readonly components: readonly AbiInput[];
}

/** A value that does not fit its ABI type; the text follows "The … field ". */
export class AbiFault extends Error {
  /** Where, dots between names. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.name = 'AbiFault';
    this.path = path;
  }
}

/** Longest name of a type: arrays of arrays of arrays cost the square of their depth. */
const TYPE_LENGTH = 100;

/** Parameters of an ABI's constructor; none when it has no constructor. Unnamed ones are named by their place. */
export function constructorInputs(abi: readonly JsonObject[]): readonly AbiInput[] {
  return inputsOf(abi.find((entry) => entry['type'] === 'constructor')?.['inputs']);
}

/**
 * Encodes constructor arguments, `0x` hex without a leading selector.
 *
 * @param values by ABI name; numbers as decimal or hex strings, tuples as objects or arrays, bytes as `0x` hex
 * @throws AbiFault for the first value that does not fit
 */
export function encodeArguments(inputs: readonly AbiInput[], values: JsonObject): string {
  if (inputs.length === 0) return '0x';
  const contract = createContract([
    { type: 'function', name: 'encode', inputs: namedByPlace(inputs) },
  ] as unknown as ParsedABI);
  const bytes = contract['encode']?.encodeInput(recordOf(inputs, values));
  return `0x${Buffer.from(bytes ?? [])
    .toString('hex')
    .slice(8)}`;
}

/** Parameters as the encoder takes them: named by their place, so that no two collide and none is without a name. */
export function namedByPlace(inputs: readonly AbiInput[]): readonly object[] {
  return inputs.map((input, index) => ({ ...abiOf(input), name: `p${String(index)}` }));
}

/**
 * The values for {@link namedByPlace}: undefined for none, the value itself for one.
 *
 * @throws AbiFault for the first value that does not fit
 */
export function recordOf(inputs: readonly AbiInput[], values: JsonObject): unknown {
  const args = inputs.map((input) => coerce(input, member(values, input.name) ?? null, input.name));
  if (args.length < 2) return args[0];
  return Object.fromEntries(args.map((value, index) => [`p${String(index)}`, value]));
}

/** The parameters in an ABI entry's `inputs` or `outputs`. Unnamed ones are named by their place. */
export function inputsOf(value: Json | undefined): readonly AbiInput[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).map((input, index) => ({
    name: textMember(input, 'name') || String(index),
    type: textMember(input, 'type') ?? '',
    components: inputsOf(member(input, 'components')),
  }));
}

/** The input as the encoder takes it: tuple members renamed by place, so that no name can collide. */
function abiOf(input: AbiInput): { readonly type: string; readonly components?: readonly object[] } {
  if (input.type.length > TYPE_LENGTH) throw new AbiFault(input.name, 'has a type that is too long.');
  if (input.components.length === 0) return { type: input.type };
  const components = input.components.map((part, index) => ({ ...abiOf(part), name: `c${String(index)}` }));
  return { type: input.type, components };
}

function coerce(input: AbiInput, value: Json, path: string): unknown {
  const array = /^(.*)\[(\d*)\]$/.exec(input.type);
  if (array) return coerceArray({ ...input, type: array[1] ?? '' }, array[2] ?? '', value, path);
  if (input.type === 'tuple') return coerceTuple(input, value, path);
  if (value === null) throw new AbiFault(path, 'is required.');
  return coerceScalar(input.type, value, path);
}

function coerceScalar(type: string, value: Json, path: string): unknown {
  if (/^u?int\d*$/.test(type)) return coerceInteger(type, value, path);
  if (/^bytes\d*$/.test(type) || type === 'function') return coerceBytes(type, value, path);
  if (type === 'bool') return coerceBoolean(value, path);
  if (type === 'string' && typeof value === 'string') return value;
  const address = type === 'address' ? checksummed(value) : undefined;
  if (address === undefined) throw new AbiFault(path, `must be a valid ${type}.`);
  return address.toLowerCase();
}

function coerceArray(item: AbiInput, size: string, value: Json, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new AbiFault(path, 'must be an array.');
  const items = value as readonly Json[];
  if (size !== '' && items.length !== Number(size)) throw new AbiFault(path, `must contain ${size} items.`);
  return items.map((entry, index) => coerce(item, entry, `${path}.${String(index)}`));
}

function coerceTuple({ components }: AbiInput, value: Json, path: string): Record<string, unknown> {
  const list = Array.isArray(value) ? (value as readonly Json[]) : undefined;
  if (!list && !isJsonObject(value)) throw new AbiFault(path, 'must be an object.');
  if (list && list.length !== components.length) {
    throw new AbiFault(path, `must contain ${String(components.length)} items.`);
  }
  const names = new Set(components.map((part) => part.name));
  const stranger = list ? undefined : Object.keys(value as JsonObject).find((name) => !names.has(name));
  if (stranger !== undefined) throw new AbiFault(`${path}.${stranger}`, 'is not a member of the tuple.');
  const entries = components.map((part, index) => {
    const given = (list ? list[index] : member(value, part.name)) ?? null;
    return [`c${String(index)}`, coerce(part, given, `${path}.${part.name}`)] as const;
  });
  return Object.fromEntries(entries);
}

function coerceInteger(type: string, value: Json, path: string): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) {
    throw new AbiFault(path, 'must be an integer (large ones as a decimal string).');
  }
  const number = BigInt(text);
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? '256');
  const [low, high] = type.startsWith('u') ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  if (number < low || number >= high) throw new AbiFault(path, `does not fit ${type}.`);
  return number;
}

function coerceBytes(type: string, value: Json, path: string): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new AbiFault(path, 'must be 0x and an even number of hex digits.');
  }
  const bytes = Uint8Array.from(Buffer.from(value.slice(2), 'hex'));
  const size = type === 'function' ? 24 : Number(type.slice(5));
  if (type !== 'bytes' && bytes.length !== size) throw new AbiFault(path, `must be ${String(size)} bytes.`);
  return bytes;
}

function coerceBoolean(value: Json, path: string): boolean {
  if (value === true || value === 1 || value === 'true' || value === '1') return true;
  if (value === false || value === 0 || value === 'false' || value === '0') return false;
  throw new AbiFault(path, 'must be true or false.');
}
