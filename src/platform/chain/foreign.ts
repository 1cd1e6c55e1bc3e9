import { textMember } from '../../model/json.js';
import type { Records } from '../state/records.js';
import type { Fees } from './ledger.js';
import { nextNonce, setNonce } from './nonces.js';
import { quantity } from './receipts.js';
import { openRpc, type Rpc } from './rpc.js';

/** A node that somebody else runs. */
export interface ForeignChain {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly genesis: string;
  /** Fees at the time of asking; renewed every half minute. */
  readonly fees: () => Fees;
  close(): Promise<void>;
}

/** Gas of one transaction: what the public network of this kind uses by default. */
const GAS_LIMIT = 6_000_000n;

const FEE_REFRESH = 30_000;

/**
 * Connects to a node.
 *
 * @throws ChainError when it does not answer
 */
export async function openForeignChain(url: string): Promise<ForeignChain> {
  const rpc = openRpc(url);
  const price = async (): Promise<bigint> => BigInt(quantity(await rpc.request('eth_gasPrice', [])));
  let gasPrice = await price();
  const timer = setInterval(() => {
    const keep = (fresh: bigint): void => {
      gasPrice = fresh;
    };
    price().then(keep, () => undefined);
  }, FEE_REFRESH);
  timer.unref();
  const first = await rpc.request('eth_getBlockByNumber', ['0x0', false]);
  return {
    rpc,
    chainId: quantity(await rpc.request('eth_chainId', [])),
    genesis: textMember(first, 'hash') ?? '',
    fees: () => ({ gasPrice, gasLimit: GAS_LIMIT }),
    close: async () => {
      clearInterval(timer);
      await rpc.close();
    },
  };
}

/** Brings the ledger's nonces up to those of the node: wallets may have a past that this platform did not see. */
export async function adoptNonces(
  rpc: Pick<Rpc, 'request'>,
  records: Records,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses) {
    const onChain = quantity(await rpc.request('eth_getTransactionCount', [address, 'pending']));
    await records.transact(async (writer) => {
      if (onChain > (await nextNonce(writer, address))) await setNonce(writer, address, onChain);
    });
  }
}
