import type { JsonObject } from '../../../model/json.js';
import { timestampOf } from '../../state/timestamp.js';
import { invalid, type Context, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { readFilters } from '../transaction-filters.js';

const PER_PAGE = 20;

/** Parameters that this list does not do without, unlike `get-certificate`. */
const REQUIRED = ['wallet_address', 'contract_address', 'filter'] as const;

const FROM = `certificate_transactions t
  JOIN certificate_contracts c ON c.id = t.contract_id
  LEFT JOIN blocks ON blocks.number = t.block_number`;

interface MoveRow {
  readonly to_wallet: string;
  readonly from_wallet: string;
  readonly block_number: number | null;
  readonly transaction_hash: string;
  readonly is_mint: number;
  readonly mined: number | null;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly logo_path: string | null;
}

/** Mints and transfers of one contract that a wallet took part in, oldest first, 20 a page; every status unless given. */
export const certificateTransactions: Handler = async (context, { org, query }) => {
  const missing = REQUIRED.filter((name) => (query[name] ?? '') === '');
  if (missing.length > 0) {
    const text = (name: string): string => `The ${name.replaceAll('_', ' ')} field is required.`;
    throw invalid(Object.fromEntries(missing.map((name) => [name, [text(name)]])));
  }
  const filters = readFilters(query, { from: 't.from_wallet', to: 't.to_wallet', contract: 'c.address' });
  const page = pageOf(query, PER_PAGE);
  // `status` stands in both tables; the transaction's is meant.
  const where = ['t.org = ?', ...filters.where.map((part) => part.replace(/^status /, 't.status '))].join(
    ' AND ',
  );
  const args = [org, ...filters.args];
  const counted = await context.records.first<{ total: number }>(
    `SELECT count(*) AS total FROM ${FROM} WHERE ${where}`,
    args,
  );
  const rows = await context.records.all<MoveRow>(
    `SELECT t.to_wallet, t.from_wallet, t.block_number, t.transaction_hash, t.is_mint, blocks.timestamp AS mined,
      c.address, c.name, c.symbol, c.logo_path FROM ${FROM} WHERE ${where} ORDER BY t.id LIMIT ? OFFSET ?`,
    [...args, page.size, page.offset],
  );
  const url = `${context.settings.publicUrl}/api/certificate/get-certificate-transaction`;
  return {
    result: rows.map((row) => shown(context, row)),
    pagination: paginationOf(page, counted?.total ?? 0, url),
  };
};

function shown({ files }: Context, row: MoveRow): JsonObject {
  return {
    to: row.to_wallet,
    from: row.from_wallet,
    blockNumber: row.block_number,
    transactionHash: row.transaction_hash,
    method: row.is_mint === 1 ? 'mint' : 'transfer',
    token: {
      contract_address: row.address,
      name: row.name,
      symbol: row.symbol,
      logo: row.logo_path === null ? null : files.url(row.logo_path),
    },
    timestamp: row.mined === null ? null : timestampOf(row.mined * 1000),
  };
}
