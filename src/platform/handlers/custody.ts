import type { Reader } from '../state/records.js';
import type { Fields } from './fields.js';
import type { Context } from './handler.js';

/** Whose request it is, and what it is read with. */
export interface Owner {
  readonly reader: Reader;
  readonly org: string;
}

/**
 * A required address of an active custodial wallet of the organisation, checksummed. Somebody else's wallet looks
 * like none, and the wallet the platform deploys with is nobody's to name.
 */
export async function custodialAddress(
  context: Context,
  owner: Owner,
  fields: Fields,
  name: string,
): Promise<string> {
  const address = fields.address(name);
  if (address === '') return address;
  const wallet = await context.wallets.find(owner.reader, owner.org, address);
  if (!wallet?.is_active || wallet.wallet_type === 'system') fields.unknown(name);
  return address;
}
