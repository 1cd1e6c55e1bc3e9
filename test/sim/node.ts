import type { Json, JsonObject } from '../../src/model/json.js';
import { quantityOf } from './accounts.js';
import { idText } from '../../src/kinds/listing.js';
import type { Platform } from './platform.js';

const OWNER_CALL = '0x8da5cb5b';

/** Answers a JSON-RPC call from what the chain has by now: what the service only recorded is not there. */
export function answerCall(platform: Platform, method: string, params: readonly Json[]): Json {
  const [first = null] = params;
  const name = idText(first) ?? '';
  if (method === 'eth_getTransactionReceipt') return receiptOf(platform, name);
  if (method === 'eth_getCode') return hasCode(platform, name) ? '0x6001' : '0x';
  if (method === 'eth_call') return ownerOf(platform, first as JsonObject);
  if (method === 'eth_getTransactionCount') return quantityOf(platform.accounts.nextNonce(name));
  if (method === 'eth_chainId') return quantityOf(31_337);
  if (method === 'eth_gasPrice') return quantityOf(0);
  throw new Error(`nothing asks a node for ${method}`);
}

function receiptOf(platform: Platform, hash: string): Json {
  const receipt = receipts(platform).find(({ transactionHash }) => transactionHash === hash);
  return receipt === undefined ? null : { ...receipt, status: receipt['status'] === true ? '0x1' : '0x0' };
}

function hasCode(platform: Platform, address: string): boolean {
  return receipts(platform).some(
    ({ contractAddress, status }) => status === true && isSame(contractAddress, address),
  );
}

function ownerOf(platform: Platform, { to, data }: JsonObject): Json {
  const named = platform.rows('owners').find(({ fields }) => isSame(fields['contract'], idText(to) ?? ''));
  const owner = data === OWNER_CALL ? idText(named?.fields['owner']) : undefined;
  return owner === undefined ? '0x' : `0x${owner.slice(2).padStart(64, '0')}`;
}

function receipts(platform: Platform): readonly JsonObject[] {
  return platform.rows('receipts').map(({ fields }) => fields);
}

function isSame(one: Json | undefined, other: string): boolean {
  return idText(one)?.toLowerCase() === other.toLowerCase();
}
