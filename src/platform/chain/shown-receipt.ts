import { setTimeout as pause } from 'node:timers/promises';
import { textMember, type Json } from '../../model/json.js';
import type { Reader } from '../state/records.js';

const LOOK_MS = 10;

/** Far longer than recording a block takes; the records of a platform over a foreign node may lag longer. */
const PATIENCE_MS = 2_000;

/**
 * A receipt as the platform shows it: held back for a moment, until the platform has recorded the outcome. So whoever
 * knows from a receipt that a contract stands may use it, and is not refused by records that lag behind the chain.
 *
 * @param receipt the node's answer; null when there is none
 */
export async function shownReceipt(records: Reader, receipt: Json): Promise<Json> {
  const hash = textMember(receipt, 'transactionHash')?.toLowerCase();
  if (hash === undefined) return receipt;
  const pending = `SELECT id FROM transactions WHERE hash = ? AND status = 'pending' LIMIT 1`;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) {
    if ((await records.first(pending, [hash])) === undefined) break;
    await pause(LOOK_MS);
  }
  return receipt;
}
