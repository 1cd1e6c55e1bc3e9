import { checksummed } from '../chain/signing.js';
import type { Receipt } from '../../protocol/shapes.js';
import { notFound, type Context } from '../handlers/handler.js';
import { originOf } from './deployments.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { ListPage, ShownTransaction, TransactionItem } from './shapes.js';

type Row = Omit<TransactionItem, 'from' | 'to'> & {
  readonly sender: string;
  readonly recipient: string | null;
};

type FullRow = Row & {
  readonly contract_address: string | null;
  readonly custodial: number;
  readonly message: string;
  readonly callback_url: string | null;
  readonly receipt: string | null;
};

/** A mint and a transfer are of one kind to the chain, and two to a person. */
const KIND = `CASE WHEN subject_type <> 'certificate' THEN subject_type ELSE (SELECT CASE is_mint WHEN 1
  THEN 'certificate-mint' ELSE 'certificate-transfer' END FROM certificate_transactions
  WHERE certificate_transactions.id = transactions.subject_id) END`;

const COLUMNS = `hash, ${KIND} AS kind, sender, recipient, nonce, status, block, created_at`;

/** Transactions that the organisation's requests brought about, newest first; `status` and `kind` filter them. */
export async function listTransactions(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<TransactionItem>> {
  const filter = given([
    ['status = ?', query['status']],
    ['subject_type = ?', query['kind']],
  ]);
  const from = `FROM transactions WHERE org = ?${filter.sql}`;
  const list = { columns: COLUMNS, from, args: [org, ...filter.args], order: 'id' };
  const page = await readList<Row>(records, list, query);
  return { ...page, items: page.items.map(itemOf) };
}

/** One transaction with its receipt. @throws ServiceError 404 */
export async function showTransaction(
  { records }: Context,
  { org, params }: Query,
): Promise<ShownTransaction> {
  const row = await records.first<FullRow>(
    `SELECT ${COLUMNS}, contract_address, custodial, message, callback_url, receipt FROM transactions
     WHERE org = ? AND hash = ? ORDER BY id DESC LIMIT 1`,
    [org, (params['hash'] ?? '').toLowerCase()],
  );
  if (!row) throw notFound();
  const { contract_address, custodial, message, callback_url, receipt, ...item } = row;
  return {
    ...itemOf(item),
    contract_address,
    custodial: custodial === 1,
    message,
    callback: originOf(callback_url),
    receipt: receipt === null ? null : (JSON.parse(receipt) as Receipt),
  };
}

function itemOf({ sender, recipient, ...row }: Row): TransactionItem {
  return { ...row, from: checksummed(sender) ?? sender, to: recipient };
}
