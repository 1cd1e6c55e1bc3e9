import type { TableGroup } from '../../state/records.js';

/**
 * What organisations say of their wallets. `wallet_users` is where earlier releases kept people in plain text: rows of it,
 * also from an archive, are sealed at the next start.
 */
export const USER_TABLES: TableGroup = {
  name: 'users',
  statements: [
    `CREATE TABLE IF NOT EXISTS wallet_users (
      wallet_id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      name TEXT NOT NULL,
      email TEXT NOT NULL,
      ic TEXT NOT NULL,
      phone TEXT,
      created_at TEXT NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS wallet_entities (
      wallet_id INTEGER PRIMARY KEY,
      org TEXT NOT NULL,
      entity_id INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS wallet_entities_org ON wallet_entities (org)',
  ],
};
