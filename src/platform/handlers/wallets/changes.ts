import { checksummed } from '../../chain/signing.js';
import type { Reader, Value } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import type { Wallet } from '../../chain/wallets.js';
import { Fields } from '../fields.js';
import { notFound, type Call, type Context, type Handler, type Reply } from '../handler.js';
import { walletDetail } from './reads.js';

/** Renames a wallet, or links it to another entity; what the request leaves out stays. */
export const updateWallet: Handler = async (context, call) => {
  const fields = new Fields(call.body);
  const name = fields.optionalText('name');
  const entity = fields.optionalInteger('entity_id');
  fields.check();
  await change(context, call, name === undefined ? {} : { name });
  if (entity !== undefined) {
    await context.records.transact(async (writer) => {
      const { id, org } = await namedWallet(context, writer, call);
      await writer.run(
        `INSERT INTO wallet_entities (wallet_id, org, entity_id) VALUES (?, ?, ?)
         ON CONFLICT (wallet_id) DO UPDATE SET entity_id = ?`,
        [id, org, entity, entity],
      );
    });
  }
  return walletDetail(context, call);
};

/** Lets a wallet sign, or forbids it. There is no deleting: what it holds on the chain stays its own. */
export function switchWallet(to: 'activate' | 'deactivate'): Handler {
  return async (context, call): Promise<Reply> => {
    await change(context, call, { is_active: to === 'activate' ? 1 : 0 });
    return walletDetail(context, call);
  };
}

async function change(
  context: Context,
  call: Call,
  columns: Readonly<Partial<Record<'name' | 'is_active', Value>>>,
): Promise<void> {
  const time = timestampOf(context.now());
  await context.records.transact(async (writer) => {
    const { id } = await namedWallet(context, writer, call);
    const entries = Object.entries({ ...columns, updated_at: time });
    const sets = entries.map(([column]) => `${column} = ?`).join(', ');
    await writer.run(`UPDATE wallets SET ${sets} WHERE id = ?`, [...entries.map(([, value]) => value), id]);
  });
}

async function namedWallet({ wallets }: Context, reader: Reader, { org, params }: Call): Promise<Wallet> {
  const address = checksummed(params['address']);
  const wallet = address === undefined ? undefined : await wallets.find(reader, org, address);
  if (!wallet || wallet.wallet_type === 'system') throw notFound();
  return wallet;
}
