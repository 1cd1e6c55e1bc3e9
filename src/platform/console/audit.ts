import { notFound, type Context } from '../handlers/handler.js';
import { checksummed } from '../chain/signing.js';
import { envelopeOf } from '../handlers/audit/envelope.js';
import { labelsOf, type LabelKind } from '../handlers/audit/labels.js';
import type { AuditRecordRow } from '../handlers/audit/tables.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type { AuditFilters, AuditItem, ShownAudit } from './record-shapes.js';
import type { ListPage } from './shapes.js';

const FROM = `FROM audit_records r LEFT JOIN audit_contracts c ON c.address = r.contract_address AND c.org = r.org
  WHERE r.org = ?`;

const COLUMNS = `r.id, c.name AS contract, r.contract_address, r.from_address AS "from", r.status,
  substr(r.metadata, 1, 200) AS metadata, r.transaction_hash, r.block_number AS block, r.mined_at, r.created_at`;

const LABELLED = (kind: LabelKind): string =>
  `r.id IN (SELECT record_id FROM audit_record_labels WHERE kind = '${kind}' AND label_id = ?)`;

/** What stands before an author's metadata in an envelope: a list has room for what he wrote only. */
const ENVELOPE = /^\{"d":"[\w-]{43}","k":"[a-z2-7]{16}","v":/;

/** Audit records, newest first; `status`, `contract`, `category` and `tag`, by their ids, filter them. */
export async function listAudit({ records }: Context, { org, query }: Query): Promise<ListPage<AuditItem>> {
  const label = (kind: LabelKind): readonly [string, string | undefined] => {
    const id = query[kind] ?? '';
    return [LABELLED(kind), id === '' || /^\d{1,15}$/.test(id) ? id : '0'];
  };
  const filter = given([
    ['r.status = ?', query['status']],
    ['r.contract_address = ?', query['contract'] && (checksummed(query['contract']) ?? 'none')],
    label('category'),
    label('tag'),
  ]);
  const list = { columns: COLUMNS, from: FROM + filter.sql, args: [org, ...filter.args], order: 'r.id' };
  const page = await readList<AuditItem>(records, list, query);
  const items = page.items.map((item) => ({ ...item, metadata: item.metadata.replace(ENVELOPE, '') }));
  return { ...page, items };
}

/** One record, whole. @throws ServiceError 404 */
export async function showAudit({ records }: Context, { org, params }: Query): Promise<ShownAudit> {
  const row = await findRecord(records, org, params['id']);
  const { id, metadata, metadatahash, nonce, encrypted } = row;
  const item = await records.first<AuditItem>(`SELECT ${COLUMNS} ${FROM} AND r.id = ?`, [org, id]);
  if (!item) throw notFound();
  const names = async (kind: LabelKind, ids: string): Promise<readonly string[]> => {
    const labels = await labelsOf(records, kind, org);
    return (JSON.parse(ids) as readonly number[]).flatMap((label) => labels.get(label)?.name ?? []);
  };
  const categories = await names('category', row.category_ids);
  const tags = await names('tag', row.tag_ids);
  const labels = { categories, tags };
  const envelope = envelopeOf(metadata);
  return {
    ...item,
    plan_key: envelope?.key ?? null,
    content: envelope ? { of: envelope.content } : null,
    metadata,
    metadatahash,
    nonce,
    encrypted: encrypted !== 0,
    ...labels,
  };
}

/** Names that a choice shows; the rest is found by a search. */
const MOST_NAMES = 200;

/** What audit records can be narrowed to: the newest contracts, categories and tags, at most 200 of each. */
export async function listAuditFilters({ records }: Context, { org }: Query): Promise<AuditFilters> {
  const newest = `WHERE org = ? AND name <> '' ORDER BY id DESC LIMIT ${String(MOST_NAMES)}`;
  const contracts = `SELECT name, address FROM audit_contracts WHERE org = ? AND address IS NOT NULL
    ORDER BY id DESC LIMIT ${String(MOST_NAMES)}`;
  return {
    contracts: await records.all(contracts, [org]),
    categories: await records.all(`SELECT id, name FROM audit_categories ${newest}`, [org]),
    tags: await records.all(`SELECT id, name FROM audit_tags ${newest}`, [org]),
  };
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
