import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Reader, TableGroup, Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';

/** Tables of organisations and their API keys. Secrets are kept as SHA-256 only. */
export const KEY_TABLES: TableGroup = {
  name: 'keys',
  statements: [
    `CREATE TABLE IF NOT EXISTS organisations (org TEXT PRIMARY KEY, created_at TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS api_keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, name TEXT NOT NULL, client_id TEXT NOT NULL UNIQUE,
      secret_hash TEXT NOT NULL, created_at TEXT NOT NULL)`,
  ],
};

/** A pair of credentials. The secret is shown once, when the key is made. */
export interface ApiKey {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A key as the list shows it. */
export interface ApiKeyItem {
  readonly id: number;
  readonly name: string;
  readonly client_id: string;
  readonly created_at: string;
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
  of: { readonly org: string; readonly name: string; readonly now: number },
): Promise<void> {
  const time = timestampOf(of.now);
  const organisation =
    'INSERT INTO organisations (org, created_at) VALUES (?, ?) ON CONFLICT (org) DO NOTHING';
  await writer.run(organisation, [of.org, time]);
  await writer.run(
    `INSERT INTO api_keys (org, name, client_id, secret_hash, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (client_id) DO NOTHING`,
    [of.org, of.name, key.client_id, hashOf(key.client_secret).toString('hex'), time],
  );
}

/** Keys of an organisation, oldest first. */
export async function listApiKeys(reader: Reader, org: string): Promise<readonly ApiKeyItem[]> {
  return reader.all('SELECT id, name, client_id, created_at FROM api_keys WHERE org = ? ORDER BY id', [org]);
}

/** The organisation of a key on record. */
export async function organisationOfKey(reader: Reader, clientId: string): Promise<string | undefined> {
  const sql = 'SELECT org FROM api_keys WHERE client_id = ?';
  return (await reader.first<{ org: string }>(sql, [clientId]))?.org;
}

/** Takes a key of an organisation off the record: nothing opens with it any more. False: there is no such key. */
export async function revokeApiKey(writer: Writer, org: string, id: number): Promise<boolean> {
  return (await writer.run('DELETE FROM api_keys WHERE org = ? AND id = ?', [org, id])) > 0;
}

/** The organisation of a pair of credentials, or undefined when they are not a pair on record. */
export async function organisationOf(
  reader: Reader,
  id: unknown,
  secret: unknown,
): Promise<string | undefined> {
  if (typeof id !== 'string' || typeof secret !== 'string') return undefined;
  const sql = 'SELECT org, secret_hash FROM api_keys WHERE client_id = ?';
  const row = await reader.first<{ org: string; secret_hash: string }>(sql, [id]);
  // An unknown id costs the same comparison as a wrong secret.
  const expected = Buffer.from(row?.secret_hash ?? ''.padStart(64, '0'), 'hex');
  return timingSafeEqual(hashOf(secret), expected) ? row?.org : undefined;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
