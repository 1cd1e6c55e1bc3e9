import type { JsonObject } from '../../../model/json.js';
import type { Reader } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import { Fields } from '../fields.js';
import type { Handler } from '../handler.js';

/** The two kinds of label that a record may carry. Their ids count separately. */
export type LabelKind = 'category' | 'tag';

/** A label as records name it. */
export type Label = { readonly id: number; readonly name: string };

interface LabelRow extends Label {
  readonly is_active: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const TABLES: Readonly<Record<LabelKind, string>> = { category: 'audit_categories', tag: 'audit_tags' };

/** Every label of an organisation, by id. */
export async function labelsOf(
  reader: Reader,
  kind: LabelKind,
  org: string,
): Promise<ReadonlyMap<number, Label>> {
  const rows = await rowsOf(reader, kind, org);
  return new Map(rows.map(({ id, name }) => [id, { id, name }]));
}

/** Creates a label. Names are not unique: creating one twice makes two. */
export function createLabel(kind: LabelKind): Handler {
  return async ({ records, now }, { org, body }) => {
    const fields = new Fields(body);
    const name = fields.text('name');
    fields.check();
    const time = timestampOf(now());
    const id = await records.transact((writer) =>
      insert(
        writer,
        `INSERT INTO ${TABLES[kind]} (org, name, is_active, created_at, updated_at)
         VALUES (?, ?, 1, ?, ?)`,
        [org, name, time, time],
      ),
    );
    return { result: { id, name, organisation_id: org, created_at: time, updated_at: time } };
  };
}

/** Lists the labels of the organisation, oldest first, in one answer. */
export function listLabels(kind: LabelKind): Handler {
  return async ({ records }, { org }) => {
    const rows = await rowsOf(records, kind, org);
    return { result: rows.map((row): JsonObject => ({ ...row, organisation_id: org, deleted_at: null })) };
  };
}

async function rowsOf(reader: Reader, kind: LabelKind, org: string): Promise<readonly LabelRow[]> {
  return reader.all<LabelRow>(
    `SELECT id, name, is_active, created_at, updated_at FROM ${TABLES[kind]} WHERE org = ? ORDER BY id`,
    [org],
  );
}
