import type { Json, JsonObject } from '../../../model/json.js';
import type { AuditTransaction } from '../../../protocol/shapes.js';
import type { Reader, Value } from '../../state/records.js';
import { invalid, notFound, type Call, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { readFilters } from '../transaction-filters.js';
import { labelsOf, type Label } from './labels.js';
import type { AuditRecordRow } from './tables.js';

const PER_PAGE = 100;

/** Lists the records as transactions: filters `wallet_address`, `contract_address`, `filter`, `status`; oldest first. */
export const auditTransactions: Handler = async ({ records, settings }, { org, query }) => {
  const filters = readFilters(query, { from: 'from_address', to: undefined, contract: 'contract_address' });
  const page = pageOf(query, PER_PAGE);
  const where = ['org = ?', ...filters.where].join(' AND ');
  const args: readonly Value[] = [org, ...filters.args];
  const counted = await records.first<{ total: number }>(
    `SELECT count(*) AS total FROM audit_records WHERE ${where}`,
    args,
  );
  const rows = await records.all<AuditRecordRow>(
    `SELECT * FROM audit_records WHERE ${where} ORDER BY id LIMIT ? OFFSET ?`,
    [...args, page.size, page.offset],
  );
  const url = `${settings.publicUrl}/api/audit/get-audit-transaction`;
  return {
    result: rows.map((row): JsonObject => ({ ...transactionOf(row) })),
    pagination: paginationOf(page, counted?.total ?? 0, url),
  };
};

/** One record by its id, or by the hash of its transaction. */
export const auditRecordDetail: Handler = async ({ records }, call) => ({
  result: await shownRecord(records, call),
});

/** The record that a path names, by its id or the hash of its transaction. @throws ServiceError 404 */
export async function findAuditRecord(reader: Reader, { org, params }: Call): Promise<AuditRecordRow> {
  const key = params['id'] ?? '';
  const column = /^0x[0-9a-fA-F]{64}$/.test(key) ? 'transaction_hash' : 'id';
  if (column === 'id' && !/^\d{1,15}$/.test(key)) throw notFound();
  const row = await reader.first<AuditRecordRow>(
    `SELECT * FROM audit_records WHERE ${column} = ? AND org = ?`,
    [column === 'id' ? Number(key) : key.toLowerCase(), org],
  );
  if (!row) throw notFound();
  return row;
}

/** That record as its detail shows it. */
export async function shownRecord(reader: Reader, call: Call): Promise<JsonObject> {
  return recordOf(reader, call.org)(await findAuditRecord(reader, call));
}

/** Lists the records with their labels, oldest first, in one answer; filters `category` and `tag` by id. */
export const listAuditRecords: Handler = async ({ records }, { org, query }) => {
  const where = ['org = ?'];
  const args: Value[] = [org];
  for (const kind of ['category', 'tag'] as const) {
    const text = query[kind] ?? '';
    if (text === '') continue;
    if (!/^\d{1,15}$/.test(text)) throw invalid({ [kind]: [`The ${kind} field must be an integer.`] });
    where.push('id IN (SELECT record_id FROM audit_record_labels WHERE kind = ? AND label_id = ?)');
    args.push(kind, Number(text));
  }
  const sql = `SELECT * FROM audit_records WHERE ${where.join(' AND ')} ORDER BY id`;
  const rows = await records.all<AuditRecordRow>(sql, args);
  const shown = recordOf(records, org);
  return { result: await Promise.all(rows.map(shown)) };
};

function transactionOf(row: AuditRecordRow): AuditTransaction {
  return {
    id: row.id,
    to: null,
    from: row.from_address,
    status: row.status,
    blockNumber: row.block_number,
    transactionHash: row.transaction_hash,
    method: 'mint',
    timestamp: row.mined_at,
    metadata: row.metadata,
    metadatahash: row.metadatahash,
  };
}

/** Shows records with their labels; the labels are read once, when the first record needs them. */
function recordOf(reader: Reader, org: string): (row: AuditRecordRow) => Promise<JsonObject> {
  const categories = labelsOf(reader, 'category', org);
  const tags = labelsOf(reader, 'tag', org);
  return async (row) => ({
    ...transactionOf(row),
    organisation_id: org,
    contract_address: row.contract_address,
    nonce: row.nonce,
    file: null,
    transactionhashId: row.transaction_hash,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
    categories: named(row.category_ids, await categories),
    tags: named(row.tag_ids, await tags),
  });
}

function named(ids: string, labels: ReadonlyMap<number, Label>): readonly Json[] {
  return (JSON.parse(ids) as readonly number[]).flatMap((id) => labels.get(id) ?? []);
}
