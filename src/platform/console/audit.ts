import { notFound, type Context } from '../handlers/handler.js';
import { labelsOf } from '../handlers/audit/labels.js';
import type { AuditRecordRow } from '../handlers/audit/tables.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { AuditItem, ShownAudit } from './record-shapes.js';
import type { ListPage } from './shapes.js';

const FROM = `FROM audit_records r LEFT JOIN audit_contracts c ON c.address = r.contract_address AND c.org = r.org
  WHERE r.org = ?`;

const COLUMNS = `r.id, c.name AS contract, r.contract_address, r.from_address AS "from", r.status,
  substr(r.metadata, 1, 200) AS metadata, r.transaction_hash, r.block_number AS block, r.mined_at, r.created_at`;

/** Audit records, newest first; `status` filters them. */
export function listAudit({ records }: Context, { org, query }: Query): Promise<ListPage<AuditItem>> {
  const filter = given([['r.status = ?', query['status']]]);
  const list = { columns: COLUMNS, from: FROM + filter.sql, args: [org, ...filter.args], order: 'r.id' };
  return readList(records, list, query);
}

/** One record, whole. @throws ServiceError 404 */
export async function showAudit({ records }: Context, { org, params }: Query): Promise<ShownAudit> {
  const row = await findRecord(records, org, params['id']);
  const { id, metadata, metadatahash, nonce, encrypted } = row;
  const item = await records.first<AuditItem>(`SELECT ${COLUMNS} ${FROM} AND r.id = ?`, [org, id]);
  if (!item) throw notFound();
  const names = async (kind: 'category' | 'tag', ids: string): Promise<readonly string[]> => {
    const labels = await labelsOf(records, kind, org);
    return (JSON.parse(ids) as readonly number[]).flatMap((label) => labels.get(label)?.name ?? []);
  };
  const categories = await names('category', row.category_ids);
  const tags = await names('tag', row.tag_ids);
  return { ...item, metadata, metadatahash, nonce, encrypted: encrypted !== 0, categories, tags };
}

/** A record with how its contract was created. @throws ServiceError 404 */
export async function findRecord(
  reader: Context['records'],
  org: string,
  id = '',
): Promise<AuditRecordRow & { readonly encrypted: number | null }> {
  const row = /^\d{1,15}$/.test(id)
    ? await reader.first<AuditRecordRow & { readonly encrypted: number | null }>(
        `SELECT r.*, c.encrypted ${FROM} AND r.id = ?`,
        [org, Number(id)],
      )
    : undefined;
  if (!row) throw notFound();
  return row;
}
