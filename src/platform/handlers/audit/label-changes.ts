import { timestampOf } from '../../state/timestamp.js';
import { Fields } from '../fields.js';
import type { Handler } from '../handler.js';
import { findLabel, LABEL_TABLES, shownLabel, type LabelKind } from './labels.js';

/** Renames a label, on the records that carry it too. */
export function updateLabel(kind: LabelKind): Handler {
  return (context, call) => {
    const fields = new Fields(call.body);
    const name = fields.text('name');
    fields.check();
    return change(kind, 'name', name)(context, call);
  };
}

/** Allows or forbids new records to carry a label. Doing so twice changes nothing. */
export function switchLabel(kind: LabelKind, to: 'activate' | 'deactivate'): Handler {
  return change(kind, 'is_active', to === 'activate' ? 1 : 0);
}

/** Deletes a label for good; records that carry it go on to show it. */
export function deleteLabel(kind: LabelKind): Handler {
  return async ({ records, now }, call) => {
    const time = timestampOf(now());
    await records.transact(async (writer) => {
      const { id } = await findLabel(writer, kind, call);
      const sql = 'INSERT INTO audit_label_deletions (kind, label_id, deleted_at) VALUES (?, ?, ?)';
      await writer.run(sql, [kind, id, time]);
    });
    return { result: 'Success' };
  };
}

function change(kind: LabelKind, column: 'name' | 'is_active', value: string | number): Handler {
  return async ({ records, now }, call) => {
    const time = timestampOf(now());
    return records.transact(async (writer) => {
      const { id } = await findLabel(writer, kind, call);
      const sql = `UPDATE ${LABEL_TABLES[kind]} SET ${column} = ?, updated_at = ? WHERE id = ?`;
      await writer.run(sql, [value, time, id]);
      return { result: shownLabel(await findLabel(writer, kind, call), call.org) };
    });
  };
}
