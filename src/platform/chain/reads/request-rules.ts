import { isJsonObject, textMember, type Json, type JsonObject } from '../../../model/json.js';
import { ChainError } from '../chain.js';

/** Methods that run code, as what their first parameter says. */
const RUNNING: ReadonlySet<string> = new Set(['eth_call', 'eth_createAccessList', 'eth_estimateGas']);

/** Methods that take a node long enough to matter: they run code, or look through many blocks or a whole state. */
export const HEAVY: ReadonlySet<string> = new Set([
  ...RUNNING,
  'eth_feeHistory',
  'eth_getBlockReceipts',
  'eth_getLogs',
  'eth_getProof',
]);

/** Code of JSON-RPC for a parameter that cannot be taken, and for a limit (EIP-1474). */
const INVALID_PARAMS = -32_602;
const LIMIT_EXCEEDED = -32_005;

/** Addresses and topics of a filter, keys of a proof, accounts of a state override, percentiles. */
const LISTED = 100;

/** Blocks of a fee history. */
const FEE_BLOCKS = 1024;

/**
 * Refuses a request that asks for more than one tenant may ask for at a time.
 *
 * @param blocks blocks that one search through logs may cover
 * @param height number of the newest block
 * @throws ChainError with code -32602 or -32005
 */
export async function checkRequest(
  method: string,
  params: readonly Json[],
  { blocks, height }: { readonly blocks: number; readonly height: () => Promise<number> },
): Promise<void> {
  const [first, second, third] = params;
  if (RUNNING.has(method)) checkOverrides(params.slice(2));
  else if (method === 'eth_getProof') checkList(second);
  else if (method === 'eth_feeHistory') {
    checkList(third);
    if (Number(first) > FEE_BLOCKS)
      throw exceeded(`a fee history covers ${String(FEE_BLOCKS)} blocks at most`);
  } else if (method === 'eth_getLogs') {
    if (!isJsonObject(first)) throw new ChainError('a filter is needed', INVALID_PARAMS);
    checkFilter(first);
    const covered = first['blockHash'] === undefined ? await coveredBy(first, height) : 1;
    if (covered > blocks) throw exceeded(`logs are looked for in ${String(blocks)} blocks at most`);
  }
}

function checkOverrides(overrides: readonly Json[]): void {
  for (const override of overrides) if (isJsonObject(override)) checkCount(Object.keys(override).length);
}

function checkList(value: Json | undefined): void {
  if (Array.isArray(value)) checkCount(value.length);
}

function checkFilter({ address, topics }: JsonObject): void {
  for (const list of [address, topics, ...(Array.isArray(topics) ? (topics as readonly Json[]) : [])])
    checkList(list);
}

function checkCount(count: number): void {
  if (count > LISTED) throw exceeded(`a list of a request holds ${String(LISTED)} items at most`);
}

async function coveredBy(filter: JsonObject, height: () => Promise<number>): Promise<number> {
  const newest = await height();
  const from = blockOf(textMember(filter, 'fromBlock'), newest);
  const to = blockOf(textMember(filter, 'toBlock'), newest);
  return Math.min(to, newest) - from + 1;
}

/** The number that a block is named by. What is no number may lie anywhere, and counts as the first block. */
function blockOf(text: string | undefined, newest: number): number {
  if (text === undefined || text === 'latest' || text === 'pending') return newest;
  return /^0x[0-9a-fA-F]{1,13}$/.test(text) ? Number(text) : 0;
}

function exceeded(text: string): ChainError {
  return new ChainError(`limit exceeded: ${text}`, LIMIT_EXCEEDED);
}

/** The parameters of a request, with a call's gas within the limit. */
export function withinGas(most: bigint, method: string, params: readonly Json[]): readonly Json[] {
  const [call, ...rest] = params;
  if (!RUNNING.has(method) || !isJsonObject(call)) return params;
  const asked = textMember(call, 'gas') ?? '';
  const gas = /^0x[0-9a-fA-F]{1,64}$/.test(asked) && BigInt(asked) < most ? asked : `0x${most.toString(16)}`;
  return [{ ...call, gas }, ...rest];
}
