import { timestampOf } from '../../state/timestamp.js';
import { Fields } from '../fields.js';
import type { Handler } from '../handler.js';
import { findAuditRecord, shownRecord } from './reads.js';
import { label, labelIds } from './records.js';

/**
 * Replaces the labels of a record; what the request leaves out stays. Nothing else of a record can be changed, and
 * the chain is not asked: labels never reach it.
 */
export const relabelAuditRecord: Handler = async ({ records, now }, call) => {
  const { org, body } = call;
  const fields = new Fields(body);
  const categories = await labelIds(records, org, fields, 'category');
  const tags = await labelIds(records, org, fields, 'tag');
  fields.check();
  const time = timestampOf(now());
  return records.transact(async (writer) => {
    const row = await findAuditRecord(writer, call);
    const given = (kind: 'category' | 'tag'): boolean => Object.hasOwn(body, `${kind}_id`);
    const labels = {
      category: given('category') ? categories : (JSON.parse(row.category_ids) as readonly number[]),
      tag: given('tag') ? tags : (JSON.parse(row.tag_ids) as readonly number[]),
    };
    await writer.run('UPDATE audit_records SET category_ids = ?, tag_ids = ?, updated_at = ? WHERE id = ?', [
      JSON.stringify(labels.category),
      JSON.stringify(labels.tag),
      time,
      row.id,
    ]);
    await writer.run('DELETE FROM audit_record_labels WHERE record_id = ?', [row.id]);
    await label(writer, row.id, labels);
    return { result: await shownRecord(writer, call) };
  });
};
