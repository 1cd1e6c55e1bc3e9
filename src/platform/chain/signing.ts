import { keccak_256 } from '@noble/hashes/sha3.js';
import { addr, Transaction } from 'micro-eth-signer';
import { RLP } from 'micro-eth-signer/core/rlp.js';
import { sign } from 'micro-eth-signer/utils.js';
import { bytesOf, hexOf } from '../contracts/hex.js';

/** What a custodial transaction is made of. */
export interface Unsigned {
  readonly chainId: number;
  readonly nonce: number;
  /** Null creates a contract. */
  readonly to: string | null;
  readonly data: string;
  readonly value: bigint;
  /** In wei per gas. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
}

/** A signed transaction as the ledger keeps it. */
export interface Signed {
  readonly raw: string;
  readonly hash: string;
}

/**
 * Signs a legacy transaction bound to its chain (EIP-155): every network of this kind takes them.
 *
 * The library's own transactions are checked and encoded three times over on their way to a signature, which takes a
 * third of its time; what is signed here was made here.
 *
 * @throws Error when the recipient is no address, or the data no hex
 */
export function signTransaction(unsigned: Unsigned, key: Uint8Array): Signed {
  const { chainId, nonce, gasPrice, gasLimit, to, value, data } = unsigned;
  if (to !== null && !/^0x[0-9a-fA-F]{40}$/.test(to)) throw new Error('the recipient is no address');
  const payload = bytesOf(data);
  if (hexOf(payload) !== data.toLowerCase()) throw new Error('the data is no hex');
  const fields = [nonce, gasPrice, gasLimit, to ?? '0x', value, payload];
  const { r, s, recovery } = sign(keccak_256(RLP.encode([...fields, chainId, 0, 0])), key);
  if (recovery === undefined) throw new Error('the signature does not tell its sender');
  const bytes = RLP.encode([...fields, chainId * 2 + 35 + recovery, r, s]);
  return { raw: hexOf(bytes), hash: hexOf(keccak_256(bytes)) };
}

/** A transaction signed elsewhere, read. */
export interface SignedTransaction extends Signed {
  readonly type: string;
  /** Undefined when the signature is not bound to a chain. */
  readonly chainId: bigint | undefined;
  readonly nonce: number;
  /** Null when it creates a contract. */
  readonly to: string | null;
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Checksummed, recovered from the signature. */
  readonly sender: string;
  /** Address that a creation will have, checksummed; null for calls. */
  readonly contractAddress: string | null;
}

/**
 * Reads a signed transaction and recovers its sender.
 *
 * @throws Error when the hex is no signed transaction
 */
export function readSigned(raw: string): SignedTransaction {
  const transaction = Transaction.fromHex(prefixed(raw));
  if (!transaction.isSigned) throw new Error('the transaction is not signed');
  const fields = transaction.raw as {
    readonly chainId?: bigint;
    readonly nonce: bigint;
    readonly to: string;
    readonly data: string;
    readonly value: bigint;
    readonly gasLimit: bigint;
  };
  const { address: sender } = transaction.recoverSender();
  const to = fields.to === '0x' || fields.to === '' ? null : addr.addChecksum(fields.to);
  return {
    raw: prefixed(transaction.toHex()),
    hash: prefixed(transaction.hash),
    type: transaction.type,
    chainId: fields.chainId,
    nonce: Number(fields.nonce),
    to,
    data: fields.data,
    value: fields.value,
    gasLimit: fields.gasLimit,
    sender,
    contractAddress: to === null ? createAddress(sender, Number(fields.nonce)) : null,
  };
}

/** What a signed transaction does, and with how much gas, without the cost of recovering its sender. */
export function payloadOf(
  raw: string,
): Pick<SignedTransaction, 'to' | 'data' | 'value'> & { readonly gas: bigint } {
  const { to, data, value, gasLimit } = Transaction.fromHex(raw).raw as {
    readonly to: string;
    readonly data: string;
    readonly value: bigint;
    readonly gasLimit: bigint;
  };
  return { to: to === '0x' || to === '' ? null : to, data, value, gas: gasLimit };
}

/** The address of the contract that `from` creates with `nonce`, checksummed. */
export function createAddress(from: string, nonce: number): string {
  return addr.getCreateAddress(sumOf(from.toLowerCase()), nonce);
}

/** Addresses whose checksum is known, in lower case: a service meets the same few again and again. */
const sums = new Map<string, string>();
const MOST_SUMS = 10_000;

/** The checksummed form of an address, or undefined for what is none (wrong length, wrong checksum). */
export function checksummed(address: unknown): string | undefined {
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined;
  const sum = sumOf(address.toLowerCase());
  const digits = address.slice(2);
  const uniform = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return uniform || sum === address ? sum : undefined;
}

function sumOf(lower: string): string {
  const known = sums.get(lower);
  if (known !== undefined) return known;
  const sum = addr.addChecksum(lower);
  if (sums.size >= MOST_SUMS) sums.clear();
  sums.set(lower, sum);
  return sum;
}

function prefixed(hex: string): string {
  return hex.startsWith('0x') ? hex : `0x${hex}`;
}
