import type { ReadAnswer, ReadRequest } from '../kinds/operation.js';
import { idText } from '../kinds/listing.js';
import { WindlassError } from '../model/error.js';
import { quantity } from './chain.js';
import type { Rpc } from './rpc.js';

type CreatedRead = Extract<ReadRequest, { type: 'created' }>;
type ServiceRead = Extract<ReadRequest, { type: 'service' }>;

/** Transactions of a wallet that are gone through, the newest first. */
const MOST_NONCES = 20_000;

/** A node may lag behind the one that mined them. */
const AHEAD = 256;

/**
 * Which of these contracts a wallet created with its own transactions: lower-case address → the nonce that gives it (CREATE,
 * from sender and nonce), or null when none of its transactions does. `unreadable` when the wallet sent more transactions
 * than are gone through and one was not found among them.
 */
export async function readCreated(
  { wallet, addresses }: CreatedRead,
  rpc: Rpc | undefined,
  readService: (read: ServiceRead) => Promise<ReadAnswer>,
): Promise<ReadAnswer> {
  if (!/^0x[0-9a-f]{40}$/i.test(wallet)) return { type: 'unreadable', message: 'not an address' };
  const count = rpc ? await countAtNode(wallet, rpc) : await countAtService(wallet, readService);
  if (typeof count === 'string') return { type: 'unreadable', message: count };
  const { addr } = await import('micro-eth-signer');
  const sender = addr.addChecksum(wallet.toLowerCase());
  const found = new Map<string, number | null>(addresses.map((address) => [address.toLowerCase(), null]));
  let missing = found.size;
  const last = Math.max(0, count - MOST_NONCES);
  for (let nonce = count + AHEAD; nonce >= last && missing > 0; nonce -= 1) {
    const address = addr.getCreateAddress(sender, nonce).toLowerCase();
    if (found.get(address) !== null) continue;
    found.set(address, nonce);
    missing -= 1;
  }
  if (missing > 0 && last > 0)
    return { type: 'unreadable', message: `the wallet sent more than ${MOST_NONCES} transactions` };
  return { type: 'found', value: Object.fromEntries(found), source: rpc ? 'chain' : 'read' };
}

async function countAtNode(wallet: string, rpc: Rpc): Promise<number | string> {
  try {
    const count = quantity(await rpc.call('eth_getTransactionCount', [wallet, 'latest']));
    return count ?? 'the node gave no nonce';
  } catch (error) {
    if (error instanceof WindlassError && error.code !== 'REMOTE_ANSWER') throw error;
    return 'the node gave no nonce';
  }
}

async function countAtService(
  address: string,
  read: (request: ServiceRead) => Promise<ReadAnswer>,
): Promise<number | string> {
  const answer = await read({ type: 'service', endpoint: 'account.nonce', params: { address } });
  if (answer.type === 'unreadable') return answer.message;
  const text = answer.type === 'found' ? idText(answer.value) : undefined;
  const count = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return count ?? 'the service gave no nonce';
}
