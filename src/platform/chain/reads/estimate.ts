import { isJsonObject, type Json } from '../../../model/json.js';
import { ChainError } from '../chain.js';
import { hexQuantity } from '../receipts.js';

/** Gas up to which the node itself estimates, to the last unit. It tries two dozen times, and nothing else runs then. */
const SMALL = 4_000_000n;

/** How far an estimate may lie above what is needed, in thousandths: Geth takes as much. */
const TOLERANCE = 15n;

/**
 * Estimates gas with calls of bounded length, one after another, because a node that estimates by itself lets nothing else
 * onto the chain until it is done, and code can see to it that this takes long.
 *
 * @param params of `eth_estimateGas`
 * @param most gas that one call may use
 * @param ask makes one request
 * @throws ChainError when it fails with all the gas that it may use
 */
export async function estimateGas(
  params: readonly Json[],
  most: bigint,
  ask: (method: string, params: readonly Json[]) => Promise<Json>,
): Promise<Json> {
  const [call, block = 'latest', ...rest] = params;
  if (!isJsonObject(call)) throw new ChainError('a call is needed', -32_602);
  const withGas = (gas: bigint): readonly Json[] => [{ ...call, gas: hexQuantity(gas) }, block, ...rest];
  const small = await attempt(() => ask('eth_estimateGas', withGas(most < SMALL ? most : SMALL)));
  if (small.ok) return small.result;
  await ask('eth_call', withGas(most));
  let [low, high] = [SMALL, most];
  while ((high - low) * 1000n > high * TOLERANCE) {
    const middle = (low + high) / 2n;
    if ((await attempt(() => ask('eth_call', withGas(middle)))).ok) high = middle;
    else low = middle;
  }
  return hexQuantity(high);
}

async function attempt(
  run: () => Promise<Json>,
): Promise<{ readonly ok: true; readonly result: Json } | { readonly ok: false }> {
  try {
    return { ok: true, result: await run() };
  } catch (cause) {
    if (cause instanceof ChainError) return { ok: false };
    throw cause;
  }
}
