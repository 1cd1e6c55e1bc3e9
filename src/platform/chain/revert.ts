import { decodeError } from 'micro-eth-signer/abi.js';
import type { JsonObject } from '../../model/json.js';

/**
 * Why a call reverted, for people: `execution reverted: <reason>`. Reads `Error(string)`, `Panic(uint256)` and the
 * custom errors of the ABI; undefined when there is no revert data or nothing known in it.
 *
 * @param data `0x` hex of the revert data
 */
export function revertText(data: string, abi: readonly JsonObject[] = []): string | undefined {
  if (data.length <= 2) return undefined;
  try {
    const errors = abi.filter((entry) => entry['type'] === 'error');
    const decoded = decodeError(data, errors as unknown as Parameters<typeof decodeError>[1]);
    return decoded && `execution reverted: ${decoded.message}`;
  } catch {
    // Bytes that only look like a known error: the plain text of the node says more than a guess.
    return undefined;
  }
}
