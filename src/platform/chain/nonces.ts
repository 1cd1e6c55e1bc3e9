import type { Writer } from '../state/records.js';

/** The next nonce of an address by the ledger; 0 for one it has not met. */
export async function nextNonce(writer: Writer, address: string): Promise<number> {
  const sql = 'SELECT next_nonce FROM accounts WHERE address = ?';
  const row = await writer.first<{ next_nonce: number }>(sql, [address.toLowerCase()]);
  return row?.next_nonce ?? 0;
}

/** Takes the next nonce of an address: whoever comes after gets another one. */
export async function takeNonce(writer: Writer, address: string): Promise<number> {
  const sql = `INSERT INTO accounts (address, next_nonce) VALUES (?, 1)
    ON CONFLICT (address) DO UPDATE SET next_nonce = accounts.next_nonce + 1 RETURNING next_nonce`;
  const row = await writer.first<{ next_nonce: number }>(sql, [address.toLowerCase()]);
  if (!row) throw new Error('no nonce was taken');
  return row.next_nonce - 1;
}

/** Sets what the next nonce of an address is. */
export async function setNonce(writer: Writer, address: string, nonce: number): Promise<void> {
  const sql = `INSERT INTO accounts (address, next_nonce) VALUES (?, ?)
    ON CONFLICT (address) DO UPDATE SET next_nonce = excluded.next_nonce`;
  await writer.run(sql, [address.toLowerCase(), nonce]);
}
