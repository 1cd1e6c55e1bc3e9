import { checksummed } from '../chain/signing.js';
import { notFound, type Context } from '../handlers/handler.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { WalletItem, WalletPerson } from './record-shapes.js';
import type { ListPage } from './shapes.js';

interface Row {
  readonly address: string;
  readonly name: string;
  readonly wallet_type: 'organisation' | 'end_user';
  readonly is_active: number;
  readonly created_at: string;
  readonly transactions: number;
}

const COLUMNS = `address, name, wallet_type, is_active, created_at,
  (SELECT count(*) FROM transactions WHERE sender = wallets.address_key AND org = wallets.org) AS transactions`;

/** Wallets, newest first, names of people masked; `type` and `address` filter them. */
export async function listWallets(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<WalletItem>> {
  const filter = given([
    ['wallet_type = ?', query['type']],
    ['address = ?', query['address'] && (checksummed(query['address']) ?? 'none')],
  ]);
  const from = `FROM wallets WHERE org = ? AND wallet_type <> 'system'${filter.sql}`;
  const list = { columns: COLUMNS, from, args: [org, ...filter.args], order: 'id' };
  const page = await readList<Row>(records, list, query);
  return { ...page, items: page.items.map(itemOf) };
}

/**
 * Who a wallet belongs to, unmasked. The national identity number is not told: nobody needs it to recognise a person.
 *
 * @throws ServiceError 404 when it is no wallet of a person of this organisation
 */
export async function revealWallet(
  { people, records }: Context,
  { org, params }: Query,
): Promise<WalletPerson> {
  const person = await people.find(records, org, params['address'] ?? '');
  if (!person) throw notFound();
  const { name, email, phone } = person;
  return { name, email, phone };
}

function itemOf({ wallet_type, is_active, name, ...row }: Row): WalletItem {
  const masked = wallet_type === 'end_user';
  const shown = masked ? maskedName(name) : name;
  return { ...row, name: shown, masked, type: wallet_type, is_active: is_active === 1 };
}

/** The first letter of each word, and as many dots whatever its length. */
function maskedName(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => `${String.fromCodePoint(word.codePointAt(0) ?? 0)}•••`).join(' ');
}
