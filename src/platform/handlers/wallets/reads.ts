import { checksummed } from '../../chain/signing.js';
import type { JsonObject } from '../../../model/json.js';
import type { Wallet, WalletType } from '../../chain/wallets.js';
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
  const { size, offset } = page;
  const { wallets, total } = await context.wallets.page(context.records, org, { type, size, offset });
  return {
    result: await viewsOf(context, wallets),
    pagination: paginationOf(page, total, `${context.settings.publicUrl}/api/wallet/wallet`),
  };
};

/** One wallet by address. */
export const walletDetail: Handler = async (context, { org, params }) => {
  const address = checksummed(params['address']);
  const wallet =
    address === undefined ? undefined : await context.wallets.find(context.records, org, address);
  if (!wallet || wallet.wallet_type === 'system') throw notFound();
  const [result = {}] = await viewsOf(context, [wallet]);
  return { result };
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

async function viewsOf({ records }: Context, wallets: readonly Wallet[]): Promise<JsonObject[]> {
  const ids = wallets.map(({ id }) => id);
  const rows = await records.all<{ wallet_id: number; entity_id: number }>(
    `SELECT wallet_id, entity_id FROM wallet_entities WHERE wallet_id IN (${['NULL', ...ids.map(() => '?')].join(', ')})`,
    ids,
  );
  const entities = new Map(rows.map((row) => [row.wallet_id, row.entity_id]));
  return wallets.map((wallet) => walletView(wallet, entities.get(wallet.id) ?? null));
}
