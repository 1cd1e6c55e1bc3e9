import { setTimeout as pause } from 'node:timers/promises';
import { textMember, type Json } from '../../model/json.js';
import type { Reader } from '../state/records.js';

const LOOK_MS = 10;

/** Far longer than recording a block takes; the records of a platform over a foreign node may lag longer. */
const PATIENCE_MS = 2_000;

/** How long receipts may still be held back, all of a request together, in milliseconds. */
export interface Patience {
  leftMs: number;
}

/** The patience of one request, however many receipts it asks for. */
export function freshPatience(): Patience {
  return { leftMs: PATIENCE_MS };
}

/**
 * A receipt as the platform shows it: held back for a moment, until the platform has recorded the outcome. So whoever
 * knows from a receipt that a contract stands may use it, and is not refused by records that lag behind the chain.
 *
 * @param receipt the node's answer; null when there is none
 * @param patience what is waited for here is taken off it
 */
export async function shownReceipt(
  records: Reader,
  receipt: Json,
  patience: Patience = freshPatience(),
): Promise<Json> {
  const hash = textMember(receipt, 'transactionHash')?.toLowerCase();
  if (hash === undefined) return receipt;
  const pending = `SELECT id FROM transactions WHERE hash = ? AND status = 'pending' LIMIT 1`;
  while (patience.leftMs > 0 && (await records.first(pending, [hash])) !== undefined) {
    patience.leftMs -= LOOK_MS;
    await pause(LOOK_MS);
  }
  return receipt;
}
