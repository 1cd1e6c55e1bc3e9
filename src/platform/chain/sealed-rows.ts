import type { Reader, Writer } from '../state/records.js';
import { rewrap, type Kek, type Sealed } from './vault.js';

/** A sealed record of a wallet, with what it belongs to. */
export interface SealedRow extends Sealed {
  readonly wallet_id: number;
  readonly org: string;
  /** Lower-case. */
  readonly address_key: string;
}

/** A table with one sealed record for a wallet: columns `wallet_id`, `kek`, `wrapped`, `sealed`. */
export interface SealedTable {
  readonly name: string;
  /** What a record is: sealed as this for one wallet of one organisation, it opens as nothing else. */
  readonly content: string;
}

/** Keys of the custodial wallets. */
export const SEALED_KEYS: SealedTable = { name: 'wallet_keys', content: 'custodial key' };

/** The people behind wallets. */
export const SEALED_PEOPLE: SealedTable = { name: 'wallet_people', content: 'person' };

/** Where a sealed record belongs. */
export function placeOf(
  { content }: SealedTable,
  { org, address_key: address }: Pick<SealedRow, 'org' | 'address_key'>,
): string {
  return `${content} of ${address} in ${org}, version 1`;
}

/** Reads the sealed records of a table; `condition` is SQL about the table's columns or those of `wallets`. */
export async function sealedRows(
  reader: Reader,
  { name }: SealedTable,
  condition: { readonly sql: string; readonly args: readonly string[] } = { sql: '1 = 1', args: [] },
): Promise<readonly SealedRow[]> {
  const sql = `SELECT ${name}.wallet_id, ${name}.kek, ${name}.wrapped, ${name}.sealed, wallets.org, wallets.address_key
    FROM ${name} JOIN wallets ON wallets.id = ${name}.wallet_id WHERE ${condition.sql}`;
  return reader.all<SealedRow>(sql, condition.args);
}

/** Keeps the sealed record of a wallet that has none. */
export async function keepSealed(
  writer: Writer,
  { name }: SealedTable,
  { wallet, held }: { readonly wallet: number; readonly held: Sealed },
): Promise<void> {
  const sql = `INSERT INTO ${name} (wallet_id, kek, wrapped, sealed) VALUES (?, ?, ?, ?)`;
  await writer.run(sql, [wallet, held.kek, held.wrapped, held.sealed]);
}

/** Wraps the data keys of a table anew; answers how many. @throws SealBroken */
export async function rewrapRows(
  writer: Writer,
  table: SealedTable,
  keys: { readonly from: Kek; readonly to: Kek },
): Promise<number> {
  const rows = await sealedRows(writer, table);
  for (const row of rows) {
    const { kek, wrapped } = rewrap(keys.from, keys.to, row, placeOf(table, row));
    const sql = `UPDATE ${table.name} SET kek = ?, wrapped = ? WHERE wallet_id = ?`;
    await writer.run(sql, [kek, wrapped, row.wallet_id]);
  }
  return rows.length;
}
