import type { TableGroup } from '../../state/records.js';

/** Certificate contracts, certificates, and the transactions that mint and move them. */
export const CERTIFICATE_TABLES: TableGroup = {
  name: 'certificates',
  statements: [
    `CREATE TABLE IF NOT EXISTS certificate_contracts (
      id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      nickname TEXT NOT NULL,
      name TEXT NOT NULL,
      symbol TEXT NOT NULL,
      owner TEXT NOT NULL,
      max_supply INTEGER NOT NULL,
      logo_path TEXT,
      last_token_id INTEGER NOT NULL,
      minted INTEGER NOT NULL,
      address TEXT,
      transaction_hash TEXT,
      status TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS certificate_contracts_address ON certificate_contracts (address)',
    'CREATE INDEX IF NOT EXISTS certificate_contracts_org ON certificate_contracts (org, id)',
    `CREATE TABLE IF NOT EXISTS certificates (
      contract_id INTEGER NOT NULL REFERENCES certificate_contracts (id),
      token_id INTEGER NOT NULL,
      metadata_path TEXT NOT NULL,
      image_path TEXT NOT NULL,
      name TEXT NOT NULL,
      search TEXT NOT NULL,
      PRIMARY KEY (contract_id, token_id)
    )`,
    `CREATE TABLE IF NOT EXISTS certificate_transactions (
      id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      contract_id INTEGER NOT NULL,
      token_id INTEGER NOT NULL,
      is_mint INTEGER NOT NULL,
      from_wallet TEXT NOT NULL,
      to_wallet TEXT NOT NULL,
      transaction_hash TEXT,
      status TEXT NOT NULL,
      block_number INTEGER,
      created_at TEXT NOT NULL,
      FOREIGN KEY (contract_id, token_id) REFERENCES certificates (contract_id, token_id)
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS certificate_transactions_hash ON certificate_transactions (transaction_hash)',
    'CREATE INDEX IF NOT EXISTS certificate_transactions_org ON certificate_transactions (org, id)',
    'CREATE INDEX IF NOT EXISTS certificate_transactions_to ON certificate_transactions (org, to_wallet, id)',
    'CREATE INDEX IF NOT EXISTS certificate_transactions_contract ON certificate_transactions (contract_id, id)',
    `CREATE TABLE IF NOT EXISTS certificate_owner_transfers (
      id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      contract_id INTEGER NOT NULL REFERENCES certificate_contracts (id),
      to_wallet TEXT NOT NULL,
      created_at TEXT NOT NULL
    )`,
  ],
};

/** A row of `certificate_contracts`. Addresses are checksummed. */
export interface CertificateContractRow {
  readonly id: number;
  /** The name given at creation; `name` and `symbol` are those on the chain. */
  readonly nickname: string;
  readonly name: string;
  readonly symbol: string;
  readonly owner: string;
  /** 0 means no limit. */
  readonly max_supply: number;
  readonly logo_path: string | null;
  /** Tokens that stand on the chain. */
  readonly minted: number;
  readonly address: string;
  readonly transaction_hash: string;
}

/** Columns of {@link CertificateContractRow}. */
export const CONTRACT_COLUMNS =
  'id, nickname, name, symbol, owner, max_supply, logo_path, minted, address, transaction_hash';
