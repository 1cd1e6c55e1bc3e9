import { checksumAddress } from '../model/address.js';
import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, textMember, type Json, type JsonObject } from '../model/json.js';
import type { ReadAnswer } from '../kinds/operation.js';
import type { Rpc } from './rpc.js';

const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The receipt of a transaction, as the service's callbacks shape it; `absent` while it is not in a block. */
export async function readChainReceipt(rpc: Rpc, hash: string): Promise<ReadAnswer> {
  if (!HASH.test(hash)) return { type: 'unreadable', message: 'not a transaction hash' };
  return answered(async () => {
    const receipt = await rpc.call('eth_getTransactionReceipt', [hash]);
    if (receipt === null) return { type: 'absent' };
    if (textMember(receipt, 'transactionHash')?.toLowerCase() !== hash.toLowerCase())
      return { type: 'unreadable', message: 'the node gave the receipt of another transaction' };
    const value = normaliseReceipt(receipt);
    return value
      ? { type: 'found', value, source: 'chain' }
      : { type: 'unreadable', message: 'the node gave a receipt without a status' };
  });
}

/** `{digest, sizeBytes}` of the runtime code at an address; `absent` when there is none. */
export async function readChainCode(rpc: Rpc, address: string): Promise<ReadAnswer> {
  if (!ADDRESS.test(address)) return { type: 'unreadable', message: 'not an address' };
  return answered(async () => {
    const code = await rpc.call('eth_getCode', [address, 'latest']);
    if (typeof code !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(code)) {
      return { type: 'unreadable', message: 'the node gave no code' };
    }
    if (code === '0x') return { type: 'absent' };
    const bytes = Buffer.from(code.slice(2), 'hex');
    return {
      type: 'found',
      value: { digest: digestOfBytes(bytes), sizeBytes: bytes.length },
      source: 'chain',
    };
  });
}

/** Selector of `owner()` (ERC-173): the first four bytes of its keccak-256. */
const OWNER_SELECTOR = '0x8da5cb5b';

/** Whom the contract at an address names as its owner; the zero address when it gave up ownership. */
export async function readChainOwner(rpc: Rpc, address: string): Promise<ReadAnswer> {
  if (!ADDRESS.test(address)) return { type: 'unreadable', message: 'not an address' };
  return answered(async () => {
    const word = await rpc.call('eth_call', [{ to: address, data: OWNER_SELECTOR }, 'latest']);
    const owner = typeof word === 'string' ? /^0x0{24}([0-9a-f]{40})$/i.exec(word)?.[1] : undefined;
    if (owner === undefined) return { type: 'unreadable', message: 'the contract names no owner' };
    return { type: 'found', value: checksumAddress(owner.toLowerCase()), source: 'chain' };
  });
}

/**
 * A JSON-RPC receipt in the service's web3.js shape: quantities as numbers, `status` as boolean, the created address in
 * checksum form. Undefined when it is none, or from before receipts had a status.
 */
function normaliseReceipt(receipt: Json): JsonObject | undefined {
  if (!isJsonObject(receipt)) return undefined;
  const { status, logs } = receipt as { status?: Json; logs?: Json };
  if (status !== '0x1' && status !== '0x0') return undefined;
  const shown = withNumbers(receipt, ['blockNumber', 'transactionIndex', 'gasUsed', 'cumulativeGasUsed']);
  const entries = Array.isArray(logs) ? (logs as readonly Json[]).filter(isJsonObject) : [];
  const created = shown['contractAddress'];
  return {
    ...shown,
    ...(typeof created === 'string' && { contractAddress: checksumAddress(created.slice(2).toLowerCase()) }),
    status: status === '0x1',
    logs: entries.map((log) => withNumbers(log, ['blockNumber', 'transactionIndex', 'logIndex'])),
  };
}

/** A JSON-RPC quantity as a number; undefined when it is none or beyond 2^53. */
export function quantity(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function withNumbers(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      names.includes(key) ? (quantity(value) ?? value) : value,
    ]),
  );
}

/** An error of the node itself says nothing about existence; one of the way to it is the caller's. */
async function answered(read: () => Promise<ReadAnswer>): Promise<ReadAnswer> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof WindlassError) || error.code !== 'REMOTE_ANSWER') throw error;
    return { type: 'unreadable', message: error.message };
  }
}
