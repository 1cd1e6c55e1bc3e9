import { join } from 'node:path';
import { QUOTA_TABLES } from './admission/quotas.js';
import { WALLET_TABLES } from './chain/custody.js';
import { CHAIN_TABLES } from './chain/ledger-tables.js';
import { CALLBACK_TABLES } from './delivery/callback-rows.js';
import { FAULT_TABLES } from './faults/kept-rules.js';
import { FILE_TABLES } from './files/store.js';
import { MODULES } from './handlers/modules.js';
import { KEY_TABLES } from './server/access/keys.js';
import { openRecords } from './state/libsql.js';
import type { PostgresPlace } from './state/postgres.js';
import type { Records, TableGroup } from './state/records.js';

/** Where a platform's records are. */
export interface StorePlace {
  readonly dataDir: string;
  /** Undefined: a file in the data folder. */
  readonly database: PostgresPlace | undefined;
}

/** Tables of a whole platform, each after those that it refers to. */
export function allTables(): readonly TableGroup[] {
  const own = [
    QUOTA_TABLES,
    CHAIN_TABLES,
    WALLET_TABLES,
    KEY_TABLES,
    CALLBACK_TABLES,
    FILE_TABLES,
    FAULT_TABLES,
  ];
  return [...own, ...MODULES.map((module) => module.tables)];
}

/** Opens the records of a platform. @throws DatabaseLocked */
export async function openStore({ dataDir, database }: StorePlace): Promise<Records> {
  if (database) {
    const { openPostgres } = await import('./state/postgres.js');
    return openPostgres(database, allTables());
  }
  return openRecords(join(dataDir, 'records.db'), allTables());
}

/**
 * Binds records to the platform of a data folder.
 *
 * @throws Error when they are another platform's
 */
export async function checkOwner(records: Records, id: string): Promise<void> {
  await records.transact(async (writer) => {
    await writer.run('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING', [
      'owner',
      id,
    ]);
    const row = await writer.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', ['owner']);
    if (row?.value !== id) {
      throw new Error(`the records belong to ${row?.value ?? 'nobody'}, and the data folder is of ${id}`);
    }
  });
}
