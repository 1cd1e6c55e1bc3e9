import type { TableGroup } from '../state/records.js';

/** Tables of the chain: nonces, signed transactions with their outcome, and the log of blocks. */
export const CHAIN_TABLES: TableGroup = {
  name: 'chain',
  statements: [
    'CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)',
    'CREATE TABLE IF NOT EXISTS accounts (address TEXT PRIMARY KEY, next_nonce INTEGER NOT NULL)',
    `CREATE TABLE IF NOT EXISTS transactions (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, hash TEXT NOT NULL, sender TEXT NOT NULL,
      nonce INTEGER NOT NULL, recipient TEXT, raw TEXT NOT NULL, contract_address TEXT, custodial INTEGER NOT NULL,
      subject_type TEXT NOT NULL, subject_id INTEGER NOT NULL, group_id TEXT, callback_url TEXT,
      callback_shape TEXT, status TEXT NOT NULL DEFAULT 'pending', block INTEGER, receipt TEXT,
      message TEXT NOT NULL DEFAULT '', position INTEGER, created_at TEXT NOT NULL)`,
    // What the chain refused may be submitted again as it is: a signature does not expire.
    `CREATE UNIQUE INDEX IF NOT EXISTS transactions_by_hash ON transactions (hash)
      WHERE status != 'failed' OR receipt IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS transactions_pending ON transactions (id) WHERE status = 'pending'`,
    'CREATE INDEX IF NOT EXISTS transactions_by_sender ON transactions (sender, nonce)',
    'CREATE INDEX IF NOT EXISTS transactions_by_block ON transactions (block)',
    'CREATE INDEX IF NOT EXISTS transactions_by_group ON transactions (group_id) WHERE group_id IS NOT NULL',
    `CREATE TABLE IF NOT EXISTS blocks (
      number INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, raws TEXT NOT NULL, hash TEXT)`,
  ],
};

/** A row of `transactions`. Addresses are checksummed except `sender`, which is lower-case. */
export interface TransactionRow {
  readonly id: number;
  readonly org: string;
  readonly hash: string;
  readonly sender: string;
  readonly nonce: number;
  readonly recipient: string | null;
  readonly raw: string;
  readonly contract_address: string | null;
  readonly custodial: number;
  readonly subject_type: string;
  readonly subject_id: number;
  readonly group_id: string | null;
  readonly callback_url: string | null;
  readonly callback_shape: string | null;
  readonly status: 'pending' | 'success' | 'failed';
  readonly block: number | null;
  readonly receipt: string | null;
  readonly message: string;
  /** Place in the order of sending when it is not `id`: a filler takes the place of what it stands in for. */
  readonly position: number | null;
}

/** A row of `blocks`; `hash` is null until the block's outcome is recorded. `timestamp` is in seconds. */
export interface BlockRow {
  readonly number: number;
  readonly timestamp: number;
  /** JSON array of `0x` hex, in the order of sending. */
  readonly raws: string;
  readonly hash: string | null;
}
