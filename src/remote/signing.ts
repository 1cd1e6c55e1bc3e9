import { addr, Transaction } from 'micro-eth-signer';
import { deployContract } from 'micro-eth-signer/abi.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, textMember, type Json, type JsonObject } from '../model/json.js';
import type { LocalSigner } from '../model/resource.js';
import type { SecretSource } from '../model/value.js';
import type { UnsignedDeployment } from '../kinds/operation.js';
import { openKeystore } from './keystore.js';

/** Gas of a creation beside its size (Yellow Paper, appendix G: 21,000 + 32,000), and room for its constructor. */
const BASE_GAS = 53_000 + 2_000_000;

/** Gas for each byte of creation data: calldata, init code and code deposit at their highest. */
const GAS_PER_BYTE = 16 + 1 + 200;

/**
 * Encodes and signs a contract creation with the wallet's local key: the raw transaction as 0x-hex. Legacy type,
 * bound to its chain (EIP-155); the service documents no other.
 *
 * @throws SECRET_MISSING when the key cannot be had or belongs to another address; STEP_PARAMS when the constructor
 * does not take the parameters
 */
export async function signDeployment(
  unsigned: UnsignedDeployment,
  secrets: (source: SecretSource) => Promise<string>,
): Promise<string> {
  const data = creationData(unsigned);
  const transaction = Transaction.prepare(
    {
      type: 'legacy',
      chainId: BigInt(unsigned.chainId),
      nonce: BigInt(unsigned.nonce),
      gasPrice: BigInt(unsigned.gasPrice),
      gasLimit: BigInt(BASE_GAS + GAS_PER_BYTE * (data.length / 2)),
      to: '0x',
      value: 0n,
      data,
    },
    false,
  );
  const key = await checkKey(unsigned.signer, unsigned.from, secrets);
  // Without extra entropy (RFC 6979): the same deployment, built again after a crash, is the same transaction.
  return transaction.signBy(key, false).toHex();
}

/** Least gas of a creation that is signed here, whatever it creates. */
export const LEAST_GAS: number = BASE_GAS;

/** The key of a signer. @throws SECRET_MISSING when it cannot be had or belongs to another address */
export async function checkKey(
  signer: LocalSigner,
  address: string,
  secrets: (source: SecretSource) => Promise<string>,
): Promise<Uint8Array> {
  const key = await keyOf(signer, secrets);
  if (addressOf(key)?.toLowerCase() === address.toLowerCase()) return key;
  throw new WindlassError('SECRET_MISSING', `The signer's key is not that of ${address}.`, {
    advice: 'Check the key, or the keystore and its password.',
  });
}

/** Who signed a contract creation, and for which chain; undefined when the hex is none. */
export function readSignedCreation(
  hex: string,
): { readonly sender: string; readonly chainId: bigint | undefined } | undefined {
  try {
    const transaction = Transaction.fromHex(hex.startsWith('0x') ? hex : `0x${hex}`);
    const { to, chainId } = transaction.raw as { readonly to?: string; readonly chainId?: bigint };
    if (!transaction.isSigned || (to !== undefined && to !== '' && to !== '0x')) return undefined;
    return { sender: transaction.recoverSender().address, chainId };
  } catch {
    return undefined;
  }
}

async function keyOf(
  signer: LocalSigner,
  secrets: (source: SecretSource) => Promise<string>,
): Promise<Uint8Array> {
  if (!('key' in signer)) {
    const [text, password] = await Promise.all([
      secrets({ file: signer.keystore }),
      secrets(signer.password.$secret),
    ]);
    return openKeystore(text, password);
  }
  const hex = (await secrets(signer.key.$secret)).trim().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new WindlassError('SECRET_MISSING', 'The signer key is not 32 bytes of hex.');
  }
  return Buffer.from(hex, 'hex');
}

function addressOf(key: Uint8Array): string | undefined {
  try {
    return addr.fromPrivateKey(key);
  } catch {
    return undefined;
  }
}

function creationData({ abi, bytecode, params }: UnsignedDeployment): string {
  const listed = abi.find((item) => item['type'] === 'constructor')?.['inputs'] ?? [];
  const inputs = (listed as readonly Json[]).filter(isJsonObject);
  const code = bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`;
  if (inputs.length === 0) return code;
  const values = inputs.map((input) => coerce(input, params[nameOf(input)] ?? null));
  // Without names the encoder takes values in order; it takes a single one bare.
  const unnamed = inputs.map((input) => ({ ...input, type: textMember(input, 'type') ?? '', name: '' }));
  try {
    return deployContract(
      [{ type: 'constructor', inputs: unnamed }],
      code,
      inputs.length === 1 ? values[0] : values,
    );
  } catch (error) {
    throw new WindlassError('STEP_PARAMS', 'The constructor parameters cannot be encoded.', { cause: error });
  }
}

/** A JSON parameter in the encoder's terms: integers as bigint, bytes as bytes, tuples by member name. */
function coerce(input: JsonObject, value: Json): unknown {
  const type = textMember(input, 'type') ?? '';
  const list = /^(.*)\[\d*\]$/.exec(type);
  if (list?.[1] !== undefined) {
    const item = { ...input, type: list[1] };
    return asList(type, value).map((entry) => coerce(item, entry));
  }
  if (type === 'tuple') return coerceTuple(input, value);
  const text = asText(type, value);
  if (/^u?int\d*$/.test(type)) return asInteger(type, text);
  if (type === 'bool') return asBoolean(text);
  if (type.startsWith('bytes')) return asBytes(type, text);
  return type === 'address' ? text.toLowerCase() : text;
}

function coerceTuple(input: JsonObject, value: Json): unknown {
  const components = ((input['components'] ?? []) as readonly Json[]).filter(isJsonObject);
  const values = components.map((component, index) =>
    coerce(
      component,
      (isJsonObject(value) ? value[nameOf(component)] : asList('tuple', value)[index]) ?? null,
    ),
  );
  if (components.some((component) => nameOf(component) === '')) return values;
  return Object.fromEntries(components.map((component, index) => [nameOf(component), values[index]]));
}

function nameOf(input: JsonObject): string {
  return textMember(input, 'name') ?? '';
}

function asList(type: string, value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw misfit(type);
}

function asText(type: string, value: Json): string {
  if (typeof value === 'object') throw misfit(type);
  return `${value}`;
}

function asInteger(type: string, text: string): bigint {
  if (/^(-?\d+|0x[0-9a-f]+)$/i.test(text)) return BigInt(text);
  throw misfit(type);
}

function asBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw misfit('bool');
}

function asBytes(type: string, text: string): Uint8Array {
  if (/^0x([0-9a-f]{2})*$/i.test(text)) return Buffer.from(text.slice(2), 'hex');
  throw misfit(type);
}

function misfit(type: string): WindlassError {
  return new WindlassError('STEP_PARAMS', `A constructor parameter does not fit its type ${type}.`);
}
