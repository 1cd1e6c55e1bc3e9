import { notFound, ServiceError } from '../handlers/handler.js';
import { listApiKeys, revokeApiKey } from '../server/access/keys.js';
import type { Records } from '../state/records.js';
import type { KeyItem } from './shapes.js';

/** What decides whether a key may go. */
export interface KeyRules {
  readonly org: string;
  /** Client id that the request came with: whoever revokes it could not go on. */
  readonly own: string | undefined;
  /** Client id of the development key, which every start on loopback makes again. */
  readonly development: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The keys of an organisation, oldest first, each with whether it can be revoked. */
export async function shownKeys(records: Records, rules: KeyRules): Promise<readonly KeyItem[]> {
  const keys = await listApiKeys(records, rules.org);
  return keys.map((key) => ({
    ...key,
    expired: key.expires_at !== null && Date.parse(key.expires_at) <= rules.now,
    held: heldBy(key.client_id, rules),
  }));
}

/** Revokes a key, and with it every session that it opened. @throws ServiceError 404, 422 when it is held */
export async function revokeKey(records: Records, id: string, rules: KeyRules): Promise<void> {
  const key = (await listApiKeys(records, rules.org)).find((one) => String(one.id) === id);
  if (!key) throw notFound();
  const held = heldBy(key.client_id, rules);
  if (held === 'session')
    throw new ServiceError(422, 'This request came with that key. Use another one to revoke it.');
  if (held === 'development')
    throw new ServiceError(422, 'The development key belongs to the folder; it exists on loopback only.');
  await records.transact((writer) => revokeApiKey(writer, rules.org, key.id));
}

function heldBy(clientId: string, { own, development }: KeyRules): KeyItem['held'] {
  if (clientId === development) return 'development';
  return clientId === own ? 'session' : null;
}
