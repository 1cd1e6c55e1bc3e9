import { randomBytes } from 'node:crypto';
import type { Quotas } from '../admission/quotas.js';
import { timestampOf } from '../state/timestamp.js';
import type { TableGroup, Writer } from '../state/records.js';
import { addressOfKey, keyAt, type KeyPath } from './key-tree.js';
import { keepSealed, placeOf, SEALED_KEYS } from './sealed-rows.js';
import { seal, type Kek } from './vault.js';
import type { Wallet, Wallets, WalletType } from './wallets.js';

/** Tables of the custodial wallets, of their keys and of the people behind them, which are sealed. */
export const WALLET_TABLES: TableGroup = {
  name: 'wallets',
  statements: [
    `CREATE TABLE IF NOT EXISTS wallets (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, name TEXT NOT NULL, wallet_type TEXT NOT NULL,
      address TEXT NOT NULL, address_key TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE,
      is_active INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS wallets_by_org ON wallets (org, id)',
    `CREATE TABLE IF NOT EXISTS wallet_keys (
      wallet_id INTEGER PRIMARY KEY REFERENCES wallets (id), kek TEXT NOT NULL, wrapped TEXT NOT NULL,
      sealed TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS wallet_people (
      wallet_id INTEGER PRIMARY KEY REFERENCES wallets (id), kek TEXT NOT NULL, wrapped TEXT NOT NULL,
      sealed TEXT NOT NULL)`,
  ],
};

interface WalletRow {
  readonly id: number;
  readonly org: string;
  readonly name: string;
  readonly wallet_type: WalletType;
  readonly address: string;
  readonly path: string;
  readonly is_active: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Account of the tree where each type of wallet grows: organisation wallets are those that Anvil prints. */
const ACCOUNT: Readonly<Record<WalletType, number>> = { organisation: 0, end_user: 1, system: 2 };

const COLUMNS = 'id, org, name, wallet_type, address, path, is_active, created_at, updated_at';

/** Where keys come from, and what seals them. */
export interface Custody {
  readonly kek: Kek;
  /**
   * 64 bytes of a key tree that everybody knows: the same requests in the same order then give the same addresses.
   * Undefined: every key is random.
   */
  readonly seed: Uint8Array | undefined;
  /** How many wallets an organisation may have; any number by default. */
  readonly quotas?: Quotas;
  readonly now: () => number;
}

/** The custodial wallets of all organisations. Each key is sealed as soon as it is made. */
export function createWallets({ kek, seed, quotas, now }: Custody): Wallets {
  return {
    create: async (writer, wallet) => {
      if (wallet.type !== 'system') await quotas?.take(writer, wallet.org, 'wallets');
      const given = wallet.key && { path: randomPath(), key: Uint8Array.from(wallet.key) };
      const { path, key } = given ?? (await newKey(writer, wallet.type, seed));
      const address = addressOfKey(key);
      const time = timestampOf(now());
      const row = await writer.first<WalletRow>(
        `INSERT INTO wallets (org, name, wallet_type, address, address_key, path, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
        [wallet.org, wallet.name, wallet.type, address, address.toLowerCase(), path, time, time],
      );
      if (!row) throw new Error('the new wallet was not recorded');
      await keepKey(writer, kek, row, key);
      return walletOf(row);
    },
    find: async (reader, org, address) => {
      const sql = `SELECT ${COLUMNS} FROM wallets WHERE org = ? AND address_key = ?`;
      const row = await reader.first<WalletRow>(sql, [org, address.toLowerCase()]);
      return row && walletOf(row);
    },
    page: async (reader, org, { type, size, offset }) => {
      const from = `FROM wallets WHERE org = ? AND wallet_type ${type ? '= ?' : `<> 'system'`}`;
      const args = type ? [org, type] : [org];
      const counted = await reader.first<{ n: number }>(`SELECT count(*) AS n ${from}`, args);
      const sql = `SELECT ${COLUMNS} ${from} ORDER BY id LIMIT ? OFFSET ?`;
      const rows = await reader.all<WalletRow>(sql, [...args, size, offset]);
      return { wallets: rows.map(walletOf), total: counted?.n ?? 0 };
    },
    list: async (reader, org, type) => {
      const filter = type ? ' AND wallet_type = ?' : '';
      const sql = `SELECT ${COLUMNS} FROM wallets WHERE org = ?${filter} ORDER BY id`;
      const rows = await reader.all<WalletRow>(sql, type ? [org, type] : [org]);
      return rows.map(walletOf);
    },
  };
}

/**
 * Seals the keys of wallets that have none on record: those of a key tree are made anew.
 *
 * @throws Error when a random key is missing
 */
export async function sealMissing(writer: Writer, { kek, seed }: Custody): Promise<void> {
  const rows = await writer.all<WalletRow>(
    `SELECT ${COLUMNS} FROM wallets WHERE id NOT IN (SELECT wallet_id FROM wallet_keys)`,
  );
  for (const row of rows) {
    if (!seed || !row.path.startsWith('m/'))
      throw new Error(`the key of the wallet ${row.address} is missing`);
    await keepKey(writer, kek, row, keyAt(seed, row.path as KeyPath));
  }
}

async function keepKey(writer: Writer, kek: Kek, row: WalletRow, key: Uint8Array): Promise<void> {
  const place = placeOf(SEALED_KEYS, { org: row.org, address_key: row.address.toLowerCase() });
  const held = seal(kek, key, place);
  key.fill(0);
  await keepSealed(writer, SEALED_KEYS, { wallet: row.id, held });
}

async function newKey(
  writer: Writer,
  type: WalletType,
  seed: Uint8Array | undefined,
): Promise<{ readonly path: string; readonly key: Uint8Array }> {
  if (!seed) return { path: randomPath(), key: randomKey() };
  const path = await nextPath(writer, type);
  return { path, key: keyAt(seed, path) };
}

function randomPath(): string {
  return `random/${randomBytes(8).toString('hex')}`;
}

/** 32 random bytes that are a key: all but one in 2^127 are. */
function randomKey(): Uint8Array {
  for (;;) {
    const key = randomBytes(32);
    try {
      addressOfKey(key);
      return key;
    } catch {
      // Beyond the order of the curve.
    }
  }
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
