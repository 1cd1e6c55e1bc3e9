import { createContract, type ParsedABI } from 'micro-eth-signer/abi.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../../model/json.js';
import { bytesOf, hexOf } from '../../contracts/hex.js';
import { checksummed } from '../../chain/signing.js';
import { AbiFault, inputsOf, namedByPlace, recordOf, type AbiInput } from './encode.js';

/** A function of an ABI. */
export interface AbiMethod {
  readonly name: string;
  readonly inputs: readonly AbiInput[];
  readonly outputs: readonly AbiInput[];
  /** Whether a call cannot change anything. */
  readonly reads: boolean;
}

/**
 * The function that a request names, by its name or by its whole signature (`set(uint256)`). Overloads are told
 * apart by the names of the parameters given; undefined when none, or more than one, fits.
 */
export function findMethod(
  abi: readonly JsonObject[],
  name: string,
  params: JsonObject,
): AbiMethod | undefined {
  const methods = abi.filter((entry) => entry['type'] === 'function').map(methodOf);
  const named = methods.filter((method) => method.name === name || signatureOf(method) === name);
  if (named.length < 2) return named[0];
  const given = Object.keys(params);
  const fitting = named.filter(
    ({ inputs }) =>
      inputs.length === given.length && inputs.every((input) => Object.hasOwn(params, input.name)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Call data of a function, `0x` hex.
 *
 * @throws AbiFault for the first value that does not fit
 */
export function encodeCall(method: AbiMethod, values: JsonObject): string {
  const names = new Set(method.inputs.map(({ name }) => name));
  const stranger = Object.keys(values).find((name) => !names.has(name));
  if (stranger !== undefined) throw new AbiFault(stranger, `is no parameter of ${method.name}.`);
  const codec = codecOf({ type: 'function', name: method.name, inputs: namedByPlace(method.inputs) });
  return hexOf(codec.encodeInput(recordOf(method.inputs, values)));
}

/**
 * What a function answered, by the names of its outputs (their place where they have none). Whole numbers are decimal
 * text, whatever their size; addresses are checksummed, bytes are `0x` hex.
 *
 * @throws Error when the bytes are not what the ABI says
 */
export function decodeOutputs({ outputs }: AbiMethod, data: string): JsonObject {
  if (outputs.length === 0) return {};
  const codec = codecOf({ type: 'function', name: 'decode', outputs: namedByPlace(outputs) });
  const decoded = codec.decodeOutput(bytesOf(data));
  const values = outputs.length === 1 ? [decoded] : outputs.map((_, index) => part(decoded, 'p', index));
  return Object.fromEntries(outputs.map((output, index) => [output.name, shown(output, values[index])]));
}

interface Codec {
  readonly encodeInput: (value?: unknown) => Uint8Array;
  readonly decodeOutput: (bytes: Uint8Array) => unknown;
}

function codecOf(entry: object): Codec {
  const [codec] = Object.values(createContract([entry] as unknown as ParsedABI));
  if (!codec) throw new Error('no function of this name can be made');
  return codec;
}

function methodOf(entry: JsonObject): AbiMethod {
  const mutability = textMember(entry, 'stateMutability');
  return {
    name: textMember(entry, 'name') ?? '',
    inputs: inputsOf(member(entry, 'inputs')),
    outputs: inputsOf(member(entry, 'outputs')),
    // Compilers before 0.4.16 say `constant` only.
    reads: mutability === 'view' || mutability === 'pure' || member(entry, 'constant') === true,
  };
}

function signatureOf({ name, inputs }: AbiMethod): string {
  const typeOf = ({ type, components }: AbiInput): string =>
    components.length === 0 ? type : `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}`;
  return `${name}(${inputs.map(typeOf).join(',')})`;
}

/** A member of a decoded tuple: the library answers an object where all have names, else an array. */
function part(value: unknown, letter: string, index: number): unknown {
  return Array.isArray(value) ? (value[index] as unknown) : member(value, `${letter}${String(index)}`);
}

function shown(output: AbiInput, value: unknown): Json {
  const array = /^(.*)\[\d*\]$/.exec(output.type);
  if (array && Array.isArray(value)) {
    return value.map((item: unknown) => shown({ ...output, type: array[1] ?? '' }, item));
  }
  if (output.components.length > 0) {
    // The library unwraps tuples of one member.
    const one = output.components.length === 1 && !isJsonObject(value) && !Array.isArray(value);
    return Object.fromEntries(
      output.components.map((inner, index) => [
        inner.name,
        shown(inner, one ? value : part(value, 'c', index)),
      ]),
    );
  }
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return hexOf(value);
  if (output.type === 'address') return checksummed(value) ?? null;
  return typeof value === 'boolean' || typeof value === 'string' ? value : null;
}

/** The entries of an ABI that a request brings, or undefined when it is none. */
export function readAbi(value: Json | undefined): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value as readonly Json[];
  return entries.every(isJsonObject) ? entries : undefined;
}
