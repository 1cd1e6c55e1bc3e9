import { isJsonObject, member, textMember, type Json } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import { checksummed } from './signing.js';

/** Reads a receipt of the node (hex quantities) as the service shows it, or undefined when it is none. */
export function receiptOf(value: Json): Receipt | undefined {
  const transactionHash = textMember(value, 'transactionHash');
  if (!isJsonObject(value) || transactionHash === undefined) return undefined;
  const logs = member(value, 'logs');
  return {
    transactionHash,
    transactionIndex: quantity(member(value, 'transactionIndex')),
    blockHash: textMember(value, 'blockHash') ?? '',
    blockNumber: quantity(member(value, 'blockNumber')),
    from: textMember(value, 'from') ?? '',
    to: textMember(value, 'to') ?? null,
    contractAddress: checksummed(member(value, 'contractAddress')) ?? null,
    gasUsed: quantity(member(value, 'gasUsed')),
    logs: Array.isArray(logs) ? (logs as readonly Json[]).map(logOf) : [],
    logsBloom: textMember(value, 'logsBloom') ?? '0x',
    status: quantity(member(value, 'status')) === 1,
    type: textMember(value, 'type') ?? '0x0',
  };
}

/** A log with its places as numbers, as web3.js and the service show them; the rest as the node has it. */
function logOf(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const places = ['blockNumber', 'transactionIndex', 'logIndex'] as const;
  return { ...value, ...Object.fromEntries(places.map((name) => [name, quantity(value[name])])) };
}

/** A JSON-RPC quantity as a number; 0 for what is none. */
export function quantity(value: Json | undefined): number {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? Number(BigInt(value)) : 0;
}

/** A number as a JSON-RPC quantity. */
export function hexQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
