import type { JsonObject } from '../../../model/json.js';
import type { Reader, Value } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import { Fields } from '../fields.js';
import { notFound, type Call, type Handler } from '../handler.js';

/** The two kinds of label that a record may carry. Their ids count separately. */
export type LabelKind = 'category' | 'tag';

/** A label as records name it. */
export type Label = { readonly id: number; readonly name: string };

/** A label on record. */
export interface LabelRow extends Label {
  /** 1 while new records may carry it. */
  readonly is_active: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** When it was deleted; records that carry it go on to show it. */
  readonly deleted_at: string | null;
}

/** Table of the labels of a kind. */
export const LABEL_TABLES: Readonly<Record<LabelKind, string>> = {
  category: 'audit_categories',
  tag: 'audit_tags',
};

/** Every label that an organisation ever had, by id: for records that carry them. */
export async function labelsOf(
  reader: Reader,
  kind: LabelKind,
  org: string,
): Promise<ReadonlyMap<number, Label>> {
  const rows = await rowsOf(reader, kind, { org });
  return new Map(rows.map(({ id, name }) => [id, { id, name }]));
}

/** Ids of the labels that a new record may carry: neither deleted nor deactivated. */
export async function usableLabels(
  reader: Reader,
  kind: LabelKind,
  org: string,
): Promise<ReadonlySet<number>> {
  const rows = await rowsOf(reader, kind, { org });
  return new Set(rows.flatMap((row) => (row.is_active === 1 && row.deleted_at === null ? [row.id] : [])));
}

/** The organisation's label that a path names. @throws ServiceError 404, for a deleted one too */
export async function findLabel(reader: Reader, kind: LabelKind, { org, params }: Call): Promise<LabelRow> {
  const id = params['id'] ?? '';
  const [row] = /^\d{1,15}$/.test(id) ? await rowsOf(reader, kind, { org, id: Number(id) }) : [];
  if (!row || row.deleted_at !== null) throw notFound();
  return row;
}

/** Creates a label. Names are not unique: creating one twice makes two. */
export function createLabel(kind: LabelKind): Handler {
  return async ({ records, quotas, now }, { org, body }) => {
    const fields = new Fields(body);
    const name = fields.text('name');
    fields.check();
    const time = timestampOf(now());
    const id = await records.transact(async (writer) => {
      await quotas.take(writer, org, 'labels');
      return insert(
        writer,
        `INSERT INTO ${LABEL_TABLES[kind]} (org, name, is_active, created_at, updated_at)
         VALUES (?, ?, 1, ?, ?)`,
        [org, name, time, time],
      );
    });
    return { result: { id, name, organisation_id: org, created_at: time, updated_at: time } };
  };
}

/** Lists the labels of the organisation, oldest first, in one answer. */
export function listLabels(kind: LabelKind): Handler {
  return async ({ records }, { org }) => {
    const rows = await rowsOf(records, kind, { org });
    const standing = rows.filter((row) => row.deleted_at === null);
    return { result: standing.map((row) => shownLabel(row, org)) };
  };
}

/** One label. */
export function labelDetail(kind: LabelKind): Handler {
  return async ({ records }, call) => ({
    result: shownLabel(await findLabel(records, kind, call), call.org),
  });
}

/** A label as reads show it. */
export function shownLabel(row: LabelRow, org: string): JsonObject {
  return { ...row, organisation_id: org };
}

async function rowsOf(
  reader: Reader,
  kind: LabelKind,
  of: { readonly org: string; readonly id?: number },
): Promise<readonly LabelRow[]> {
  const args: Value[] = [kind, of.org, ...(of.id === undefined ? [] : [of.id])];
  return reader.all<LabelRow>(
    `SELECT label.id, label.name, label.is_active, label.created_at, label.updated_at, gone.deleted_at
     FROM ${LABEL_TABLES[kind]} label
     LEFT JOIN audit_label_deletions gone ON gone.kind = ? AND gone.label_id = label.id
     WHERE label.org = ?${of.id === undefined ? '' : ' AND label.id = ?'} ORDER BY label.id`,
    args,
  );
}
