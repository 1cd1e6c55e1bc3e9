import { addr } from 'micro-eth-signer';
import { timestampOf } from '../state/timestamp.js';
import type { Reader, TableGroup, Writer } from '../state/records.js';
import { keyAt, type KeyPath } from './key-tree.js';
import type { Wallet, Wallets, WalletType } from './wallets.js';

/** Table of the custodial wallets: addresses and places in the key tree, no keys. */
export const WALLET_TABLES: TableGroup = {
  name: 'wallets',
  statements: [
    `CREATE TABLE IF NOT EXISTS wallets (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, name TEXT NOT NULL, wallet_type TEXT NOT NULL,
      address TEXT NOT NULL, address_key TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE,
      is_active INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS wallets_by_org ON wallets (org, id)',
  ],
};

interface WalletRow {
  readonly id: number;
  readonly org: string;
  readonly name: string;
  readonly wallet_type: WalletType;
  readonly address: string;
  readonly path: KeyPath;
  readonly is_active: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Account of the tree where each type of wallet grows: organisation wallets are those that Anvil prints. */
const ACCOUNT: Readonly<Record<WalletType, number>> = { organisation: 0, end_user: 1, system: 2 };

const COLUMNS = 'id, org, name, wallet_type, address, path, is_active, created_at, updated_at';

/**
 * Custodial wallets derived from one seed by counter, so that the same requests in the same order give the same
 * addresses on every platform with that seed.
 *
 * @param seed 64 bytes; stays in memory and in its own file
 */
export function createWallets(seed: Uint8Array, now: () => number): Wallets {
  const keys = new Map<string, Uint8Array>();
  return {
    create: async (writer, wallet) => {
      const path = await nextPath(writer, wallet.type);
      const address = addr.fromPrivateKey(keyAt(seed, path));
      const time = timestampOf(now());
      const row = await writer.first<WalletRow>(
        `INSERT INTO wallets (org, name, wallet_type, address, address_key, path, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
        [wallet.org, wallet.name, wallet.type, address, address.toLowerCase(), path, time, time],
      );
      if (!row) throw new Error('the new wallet was not recorded');
      return walletOf(row);
    },
    find: async (reader, org, address) => {
      const sql = `SELECT ${COLUMNS} FROM wallets WHERE org = ? AND address_key = ?`;
      const row = await reader.first<WalletRow>(sql, [org, address.toLowerCase()]);
      return row && walletOf(row);
    },
    list: async (reader, org, type) => {
      const filter = type ? ' AND wallet_type = ?' : '';
      const sql = `SELECT ${COLUMNS} FROM wallets WHERE org = ?${filter} ORDER BY id`;
      const rows = await reader.all<WalletRow>(sql, type ? [org, type] : [org]);
      return rows.map(walletOf);
    },
    keyOf: async (reader, address) => {
      const known = keys.get(address.toLowerCase());
      if (known) return known;
      const key = await derivedKey(seed, reader, address);
      if (key && keys.size < 1000) keys.set(address.toLowerCase(), key);
      return key;
    },
  };
}

async function derivedKey(
  seed: Uint8Array,
  reader: Reader,
  address: string,
): Promise<Uint8Array | undefined> {
  const sql = 'SELECT path FROM wallets WHERE address_key = ?';
  const row = await reader.first<Pick<WalletRow, 'path'>>(sql, [address.toLowerCase()]);
  return row && keyAt(seed, row.path);
}

async function nextPath(writer: Writer, type: WalletType): Promise<KeyPath> {
  const sql = 'SELECT count(*) AS made FROM wallets WHERE wallet_type = ?';
  const row = await writer.first<{ made: number }>(sql, [type]);
  return `m/44'/60'/${String(ACCOUNT[type])}'/0/${String(row?.made ?? 0)}`;
}

function walletOf(row: WalletRow): Wallet {
  const { path: _path, is_active, ...shown } = row;
  return { ...shown, is_active: is_active === 1 };
}
