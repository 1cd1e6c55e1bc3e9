import { checksummed } from '../chain/signing.js';
import type { Receipt } from '../../protocol/shapes.js';
import { notFound, type Context } from '../handlers/handler.js';
import { originOf } from './deployments.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { ListPage, ShownTransaction, TransactionItem } from './shapes.js';
import { aboutSubjects, type About } from './subjects.js';

type Row = Omit<TransactionItem, 'from' | 'to' | 'about'> & {
  readonly subject: string;
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

const COLUMNS = `hash, ${KIND} AS kind, subject_type || ' ' || subject_id AS subject, sender, recipient, nonce, status, block, created_at`;

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
  const about = await aboutSubjects(
    records,
    org,
    page.items.map(({ subject }) => subject),
  );
  return { ...page, items: page.items.map((row) => itemOf(row, about(row.subject))) };
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
  const about = await aboutSubjects(records, org, [item.subject]);
  return {
    ...itemOf(item, about(item.subject)),
    contract_address,
    custodial: custodial === 1,
    message,
    callback: originOf(callback_url),
    receipt: receipt === null ? null : (JSON.parse(receipt) as Receipt),
  };
}

function itemOf({ sender, recipient, subject: _subject, ...row }: Row, about: About): TransactionItem {
  return { ...row, about, from: checksummed(sender) ?? sender, to: recipient };
}
