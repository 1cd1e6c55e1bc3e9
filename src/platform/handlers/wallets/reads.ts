import type { JsonObject } from '../../../model/json.js';
import type { Wallet, WalletType } from '../../chain/wallets.js';
import { addressOf } from '../fields.js';
import { invalid, notFound, type Context, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';

const PER_PAGE = 20;

const TYPES: Readonly<Record<string, WalletType>> = { '1': 'organisation', '2': 'end_user' };

/** Lists wallets, oldest first, 20 a page; `type` 1 for organisation wallets, 2 for those of people. */
export const listWallets: Handler = async (context, { org, query }) => {
  const text = query['type'] ?? '';
  const type = TYPES[text];
  if (text !== '' && !type) throw invalid({ type: ['The selected type is invalid.'] });
  const page = pageOf(query, PER_PAGE);
  const all = await context.wallets.list(context.records, org, type);
  const wallets = all.filter((wallet) => wallet.wallet_type !== 'system');
  const shown = wallets.slice(page.offset, page.offset + page.size);
  const entities = await entitiesOf(context, org);
  return {
    result: shown.map((wallet) => walletView(wallet, entities.get(wallet.id) ?? null)),
    pagination: paginationOf(page, wallets.length, `${context.settings.publicUrl}/api/wallet/wallet`),
  };
};

/** One wallet by address. */
export const walletDetail: Handler = async (context, { org, params }) => {
  const address = addressOf(params['address']);
  const wallet =
    address === undefined ? undefined : await context.wallets.find(context.records, org, address);
  if (!wallet || wallet.wallet_type === 'system') throw notFound();
  const entities = await entitiesOf(context, org);
  return { result: walletView(wallet, entities.get(wallet.id) ?? null) };
};

/** A wallet as reads show it; its creation spells some members differently. */
export function walletView(wallet: Wallet, entity: number | null): JsonObject {
  return {
    id: wallet.id,
    address: wallet.address,
    name: wallet.name,
    wallet_type: wallet.wallet_type,
    is_active: Number(wallet.is_active),
    entity_id: entity,
    created_at: wallet.created_at,
    updated_at: wallet.updated_at,
  };
}

async function entitiesOf({ records }: Context, org: string): Promise<ReadonlyMap<number, number>> {
  const rows = await records.all<{ wallet_id: number; entity_id: number }>(
    'SELECT wallet_id, entity_id FROM wallet_entities WHERE org = ?',
    [org],
  );
  return new Map(rows.map((row) => [row.wallet_id, row.entity_id]));
}
