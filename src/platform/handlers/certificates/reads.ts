import type { JsonObject } from '../../../model/json.js';
import type { CertificateEntry } from '../../../protocol/shapes.js';
import type { Value } from '../../state/records.js';
import { invalid, type Context, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { addressQuery, statusOf } from '../transaction-filters.js';

const PER_PAGE = 100;

interface EntryRow {
  readonly token_id: number;
  readonly transaction_hash: string;
  readonly status: CertificateEntry['status'];
  readonly from_wallet: string;
  readonly to_wallet: string;
  readonly is_mint: 0 | 1;
  readonly block_number: number | null;
  readonly created_at: string;
  readonly metadata_path: string;
  readonly image_path: string;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly logo_path: string | null;
}

const TABLES = `certificate_transactions t
  JOIN certificate_contracts c ON c.id = t.contract_id
  JOIN certificates k ON k.contract_id = t.contract_id AND k.token_id = t.token_id`;

const COLUMNS = `t.token_id, t.transaction_hash, t.status, t.from_wallet, t.to_wallet, t.is_mint, t.block_number,
  t.created_at, k.metadata_path, k.image_path, c.address, c.name, c.symbol, c.logo_path`;

/**
 * Lists mints and transfers, oldest first; filters `to`, `from`, `contract_address`, `tx_id` (or `transaction_id`),
 * and `status`, which is `success` unless given. One answer for all, pages of 100 when `page` is given.
 */
export const listCertificates: Handler = async (context, { org, query }) => {
  const { where, args } = conditions(org, query);
  const order = `WHERE ${where} ORDER BY t.id`;
  if (query['page'] === undefined) {
    const rows = await context.records.all<EntryRow>(`SELECT ${COLUMNS} FROM ${TABLES} ${order}`, args);
    return { result: rows.map((row) => entryOf(context, row)) };
  }
  const page = pageOf(query, PER_PAGE);
  const counted = await context.records.first<{ total: number }>(
    `SELECT count(*) AS total FROM ${TABLES} WHERE ${where}`,
    args,
  );
  const rows = await context.records.all<EntryRow>(
    `SELECT ${COLUMNS} FROM ${TABLES} ${order} LIMIT ? OFFSET ?`,
    [...args, page.size, page.offset],
  );
  const url = `${context.settings.publicUrl}/api/certificate/get-certificate`;
  return {
    result: rows.map((row) => entryOf(context, row)),
    pagination: paginationOf(page, counted?.total ?? 0, url),
  };
};

function conditions(
  org: string,
  query: Readonly<Record<string, string>>,
): { readonly where: string; readonly args: readonly Value[] } {
  const status = statusOf(query['status'] || 'success');
  if (!status) throw invalid({ status: ['The selected status is invalid.'] });
  const hash = query['tx_id'] || query['transaction_id'];
  const filters: readonly (readonly [column: string, value: string | undefined])[] = [
    ['t.org', org],
    ['t.status', status],
    ['t.to_wallet', addressQuery(query, 'to')],
    ['t.from_wallet', addressQuery(query, 'from')],
    ['c.address', addressQuery(query, 'contract_address')],
    ['t.transaction_hash', hash === '' ? undefined : hash?.toLowerCase()],
  ];
  const given = filters.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
  return {
    where: given.map(([column]) => `${column} = ?`).join(' AND '),
    args: given.map(([, value]) => value),
  };
}

function entryOf({ files }: Context, row: EntryRow): JsonObject {
  const entry: CertificateEntry = {
    nft_token_id: row.token_id,
    transactionHash: row.transaction_hash,
    status: row.status,
    from_wallet: row.from_wallet,
    to_wallet: row.to_wallet,
    is_mint: row.is_mint,
    blockNumber: row.block_number,
    certificate: files.url(row.metadata_path),
    certificate_image: files.url(row.image_path),
    certificate_file: fileName(row.metadata_path),
    certificate_image_file: fileName(row.image_path),
    created_at: row.created_at,
    token: {
      contract_address: row.address,
      name: row.name,
      symbol: row.symbol,
      logo: row.logo_path === null ? null : files.url(row.logo_path),
    },
  };
  return { ...entry };
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
