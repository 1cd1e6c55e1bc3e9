import type { TableGroup } from '../../state/records.js';

/** Audit contracts, labels and records. `status` is `pending`, `success` or `failed` throughout. */
export const AUDIT_TABLES: TableGroup = {
  name: 'audit',
  statements: [
    `CREATE TABLE IF NOT EXISTS audit_contracts (
      id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      name TEXT NOT NULL,
      encrypted INTEGER NOT NULL,
      address TEXT,
      transaction_hash TEXT,
      status TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    )`,
    `CREATE UNIQUE INDEX IF NOT EXISTS audit_contracts_address ON audit_contracts (address)`,
    `CREATE INDEX IF NOT EXISTS audit_contracts_org ON audit_contracts (org, id)`,
    ...['audit_categories', 'audit_tags'].flatMap((table) => [
      `CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY,
        org TEXT NOT NULL,
        name TEXT NOT NULL,
        is_active INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      )`,
      `CREATE INDEX IF NOT EXISTS ${table}_org ON ${table} (org, id)`,
    ]),
    `CREATE TABLE IF NOT EXISTS audit_records (
      id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      contract_address TEXT NOT NULL,
      from_address TEXT NOT NULL,
      search TEXT NOT NULL,
      metadata TEXT NOT NULL,
      metadatahash TEXT NOT NULL,
      category_ids TEXT NOT NULL,
      tag_ids TEXT NOT NULL,
      transaction_hash TEXT,
      nonce INTEGER,
      status TEXT NOT NULL,
      block_number INTEGER,
      mined_at TEXT,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    )`,
    `CREATE INDEX IF NOT EXISTS audit_records_org ON audit_records (org, id)`,
    `CREATE INDEX IF NOT EXISTS audit_records_from ON audit_records (org, from_address, id)`,
    `CREATE UNIQUE INDEX IF NOT EXISTS audit_records_hash ON audit_records (transaction_hash)`,
    `CREATE TABLE IF NOT EXISTS audit_record_labels (
      kind TEXT NOT NULL,
      label_id INTEGER NOT NULL,
      record_id INTEGER NOT NULL REFERENCES audit_records (id),
      PRIMARY KEY (kind, label_id, record_id)
    )`,
    `CREATE TABLE IF NOT EXISTS audit_label_deletions (
      kind TEXT NOT NULL,
      label_id INTEGER NOT NULL,
      deleted_at TEXT NOT NULL,
      PRIMARY KEY (kind, label_id)
    )`,
  ],
};

/** A row of `audit_contracts`. */
export interface AuditContractRow {
  readonly id: number;
  readonly name: string;
  /** 1 when metadata stays off the chain. */
  readonly encrypted: number;
  /** Checksummed; known once the contract stands. */
  readonly address: string | null;
  readonly transaction_hash: string | null;
}

/** A row of `audit_records`. Addresses are checksummed, hashes lower-case. */
export interface AuditRecordRow {
  readonly id: number;
  readonly contract_address: string;
  readonly from_address: string;
  readonly metadata: string;
  readonly metadatahash: string;
  /** JSON array of ids. */
  readonly category_ids: string;
  /** JSON array of ids. */
  readonly tag_ids: string;
  readonly transaction_hash: string;
  readonly nonce: number;
  readonly status: 'pending' | 'success' | 'failed';
  readonly block_number: number | null;
  readonly mined_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}
