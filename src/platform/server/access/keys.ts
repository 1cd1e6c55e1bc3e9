import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SCOPES, type Scope } from '../../../protocol/key.js';
import type { Reader, TableGroup, Writer } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';

/** Tables of organisations and their API keys. Secrets are kept as SHA-256 only; scopes with spaces between them. */
export const KEY_TABLES: TableGroup = {
  name: 'keys',
  statements: [
    `CREATE TABLE IF NOT EXISTS organisations (org TEXT PRIMARY KEY, created_at TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS api_keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, name TEXT NOT NULL, client_id TEXT NOT NULL UNIQUE,
      secret_hash TEXT NOT NULL, created_at TEXT NOT NULL, scopes TEXT NOT NULL, expires_at TEXT, last_used_at TEXT)`,
  ],
};

/** A pair of credentials. The secret is shown once, when the key is made. */
export interface ApiKey {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What a key may do, and how long. */
export interface Rights {
  readonly scopes: readonly Scope[];
  /** ISO 8601, UTC; null: for ever. */
  readonly expires_at: string | null;
}

/** Everything, for ever: the key that a platform begins with. */
export const ALL_RIGHTS: Rights = { scopes: SCOPES, expires_at: null };

/** A key as the list shows it. */
export interface ApiKeyItem extends Rights {
  readonly id: number;
  readonly name: string;
  readonly client_id: string;
  readonly created_at: string;
  /** To the hour; null: never. */
  readonly last_used_at: string | null;
}

/** A key on record, found by its client id. */
export interface KnownKey extends Rights {
  readonly org: string;
  readonly name: string;
  readonly clientId: string;
}

/** A new pair: 64 hex digits, and `sk_` with 64 hex digits. */
export function newApiKey(): ApiKey {
  return {
    client_id: randomBytes(32).toString('hex'),
    client_secret: `sk_${randomBytes(32).toString('hex')}`,
  };
}

/** Records a key of an organisation; a client id on record already is left as it is. */
export async function recordApiKey(
  writer: Writer,
  key: ApiKey,
  of: { readonly org: string; readonly name: string; readonly now: number; readonly rights: Rights },
): Promise<void> {
  const time = timestampOf(of.now);
  const organisation =
    'INSERT INTO organisations (org, created_at) VALUES (?, ?) ON CONFLICT (org) DO NOTHING';
  await writer.run(organisation, [of.org, time]);
  const { scopes, expires_at } = of.rights;
  await writer.run(
    `INSERT INTO api_keys (org, name, client_id, secret_hash, created_at, scopes, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (client_id) DO NOTHING`,
    [
      of.org,
      of.name,
      key.client_id,
      hashOf(key.client_secret).toString('hex'),
      time,
      scopes.join(' '),
      expires_at,
    ],
  );
}

/** Keys of an organisation, oldest first. */
export async function listApiKeys(reader: Reader, org: string): Promise<readonly ApiKeyItem[]> {
  const columns = 'id, name, client_id, created_at, scopes, expires_at, last_used_at';
  const sql = `SELECT ${columns} FROM api_keys WHERE org = ? ORDER BY id`;
  const rows = await reader.all<Omit<ApiKeyItem, 'scopes'> & { readonly scopes: string }>(sql, [org]);
  return rows.map((row) => ({ ...row, scopes: scopesIn(row.scopes) }));
}

/** Takes a key of an organisation off the record: nothing opens with it any more. False: there is no such key. */
export async function revokeApiKey(writer: Writer, org: string, id: number): Promise<boolean> {
  return (await writer.run('DELETE FROM api_keys WHERE org = ? AND id = ?', [org, id])) > 0;
}

type KeyRow = Omit<KnownKey, 'scopes' | 'clientId'> & {
  readonly scopes: string;
  readonly client_id: string;
  readonly secret_hash: string;
};

/** A key on record, expired or not. */
export async function findKey(reader: Reader, clientId: string): Promise<KnownKey | undefined> {
  const row = await rowOf(reader, clientId);
  return row && knownKey(row);
}

/** The key of a pair of credentials, expired or not; undefined when they are not a pair on record. */
export async function keyOfPair(reader: Reader, id: unknown, secret: unknown): Promise<KnownKey | undefined> {
  if (typeof id !== 'string' || typeof secret !== 'string') return undefined;
  const row = await rowOf(reader, id);
  // An unknown id costs the same comparison as a wrong secret.
  const expected = Buffer.from(row?.secret_hash ?? ''.padStart(64, '0'), 'hex');
  return timingSafeEqual(hashOf(secret), expected) && row ? knownKey(row) : undefined;
}

function rowOf(reader: Reader, clientId: string): Promise<KeyRow | undefined> {
  const sql =
    'SELECT org, name, client_id, secret_hash, scopes, expires_at FROM api_keys WHERE client_id = ?';
  return reader.first<KeyRow>(sql, [clientId]);
}

function knownKey({ org, name, client_id: clientId, scopes, expires_at }: KeyRow): KnownKey {
  return { org, name, clientId, scopes: scopesIn(scopes), expires_at };
}

function scopesIn(text: string): readonly Scope[] {
  const names = text.split(' ');
  return SCOPES.filter((scope) => names.includes(scope));
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
