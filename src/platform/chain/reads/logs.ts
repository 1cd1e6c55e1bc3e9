import { isJsonObject, textMember, type Json } from '../../../model/json.js';
import { ChainError } from '../chain.js';
import { hexQuantity } from '../receipts.js';

/** Blocks that are searched at a time: a node builds all of an answer in memory, and each block may hold megabytes of logs. */
const BLOCKS = 20;

/** Logs of one answer: more are asked for in smaller ranges. */
const LOGS = 20_000;

/** How a search asks the node. */
export interface Searching {
  readonly ask: (method: string, params: readonly Json[]) => Promise<Json>;
  /** Number of the newest block. */
  readonly height: () => Promise<number>;
}

/**
 * Searches through logs, some blocks at a time, and stops when there are too many of them.
 *
 * @param params of `eth_getLogs`, whose range was checked
 * @throws ChainError with code -32005 when there are more than 20,000
 */
export async function searchLogs(params: readonly Json[], { ask, height }: Searching): Promise<Json> {
  const [filter] = params;
  if (!isJsonObject(filter) || filter['blockHash'] !== undefined) return ask('eth_getLogs', params);
  const newest = await height();
  const from = numberOf(textMember(filter, 'fromBlock'), newest);
  const to = numberOf(textMember(filter, 'toBlock'), newest);
  // The node knows best what is safe or final.
  if (from === undefined || to === undefined || to - from < BLOCKS) return ask('eth_getLogs', params);
  const found: Json[] = [];
  for (let first = from; first <= to; first += BLOCKS) {
    const last = Math.min(to, first + BLOCKS - 1);
    const range = { ...filter, fromBlock: hexQuantity(first), toBlock: hexQuantity(last) };
    const logs = await ask('eth_getLogs', [range]);
    if (Array.isArray(logs)) for (const log of logs as readonly Json[]) found.push(log);
    if (found.length > LOGS)
      throw new ChainError(`limit exceeded: the answer holds ${String(LOGS)} logs at most`, -32_005);
  }
  return found;
}

function numberOf(text: string | undefined, newest: number): number | undefined {
  if (text === undefined || text === 'latest' || text === 'pending') return newest;
  if (text === 'earliest') return 0;
  return /^0x[0-9a-fA-F]{1,13}$/.test(text) ? Math.min(Number(text), newest) : undefined;
}
