import { textMember } from '../../model/json.js';
import type { Records } from '../state/records.js';
import type { Rpc } from './rpc.js';

const META = 'chain';

/** The records tell of one chain, and the node of another. */
class OtherChain extends Error {
  constructor(reason: string) {
    super(`${reason}: the records of this platform speak of another chain, or of one that was begun anew`);
    this.name = 'OtherChain';
  }
}

/**
 * Binds the records to a chain, and refuses any other one.
 *
 * @throws OtherChain when number, first block, or the last settled transaction is not that of the records
 */
export async function checkChain(
  rpc: Rpc,
  records: Records,
  chain: { readonly chainId: number; readonly genesis: string },
): Promise<void> {
  const mine = `${String(chain.chainId)} ${chain.genesis}`;
  const known = await records.transact(async (writer) => {
    await writer.run('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING', [
      META,
      mine,
    ]);
    return writer.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', [META]);
  });
  if (known?.value !== mine) throw new OtherChain(`chain ${mine} instead of ${known?.value ?? ''}`);
  const last = await records.first<{ hash: string }>(
    `SELECT hash FROM transactions WHERE status = 'success' ORDER BY id DESC LIMIT 1`,
  );
  if (!last) return;
  const receipt = await rpc.request('eth_getTransactionReceipt', [last.hash]);
  if (textMember(receipt, 'status') !== '0x1') throw new OtherChain(`the chain does not have ${last.hash}`);
}
