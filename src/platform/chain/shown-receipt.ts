import { textMember, type Json } from '../../model/json.js';
import type { Reader } from '../state/records.js';

/**
 * A receipt as the platform may show it: null, as before it was mined, until the platform has recorded the outcome. So
 * whoever knows from a receipt that a contract stands may use it, and is not refused by records that lag behind the chain.
 *
 * @param receipt the node's answer; null when there is none
 */
export async function shownReceipt(records: Reader, receipt: Json): Promise<Json> {
  const hash = textMember(receipt, 'transactionHash');
  if (hash === undefined) return receipt;
  const pending = `SELECT id FROM transactions WHERE hash = ? AND status = 'pending' LIMIT 1`;
  return (await records.first(pending, [hash.toLowerCase()])) === undefined ? receipt : null;
}
