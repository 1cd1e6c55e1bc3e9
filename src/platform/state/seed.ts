import type { Wallets } from '../chain/wallets.js';
import { ALL_RIGHTS, newApiKey, recordApiKey, type ApiKey, type Rights } from '../server/access/keys.js';
import { derivedSecret, type Identity } from './identity.js';
import type { Records } from './records.js';

/** Organisation that every platform begins with. */
export const FIRST_ORGANISATION = 'org-1';

/** Name of the key that `platform start` makes for itself; nobody else may give it. */
export const COMMAND_LINE_KEY = 'command line';

const ORGANISATION_WALLETS = 10;

/**
 * On loopback: the development key, which is the same at every start, and ten organisation wallets. Elsewhere a
 * platform begins empty, and its operator makes the first key.
 *
 * @returns the development key, or undefined where there is none
 */
export async function seedPlatform(
  records: Records,
  wallets: Wallets,
  about: { readonly identity: Identity; readonly now: number },
): Promise<ApiKey | undefined> {
  const { identity, now } = about;
  if (identity.seed !== 'development') return undefined;
  const org = FIRST_ORGANISATION;
  const key: ApiKey = {
    client_id: derivedSecret(identity, 'client_id'),
    client_secret: `sk_${derivedSecret(identity, 'client_secret')}`,
  };
  await records.transact(async (writer) => {
    await recordApiKey(writer, key, { org, name: 'development', now, rights: ALL_RIGHTS });
    const present = await wallets.list(writer, org, 'organisation');
    for (let index = present.length; index < ORGANISATION_WALLETS; index += 1) {
      await wallets.create(writer, { org, name: `wallet ${String(index)}`, type: 'organisation' });
    }
  });
  return key;
}

/** Makes and records a key; a new organisation is made with its first key. */
export async function createApiKey(
  records: Records,
  of: { readonly org: string; readonly name: string; readonly now: number; readonly rights: Rights },
): Promise<ApiKey> {
  const key = newApiKey();
  await records.transact((writer) => recordApiKey(writer, key, of));
  return key;
}

/** How the platform's own process makes keys of the first organisation, with every right and no end. */
export interface OwnKeys {
  createKey(name: string): Promise<ApiKey>;
  /** For the command line, in the place of the one of the start before. */
  commandLineKey(): Promise<ApiKey>;
}

/** The makers of the platform's own keys. @param now milliseconds since 1970 */
export function ownKeys(records: Records, now: () => number): OwnKeys {
  const org = FIRST_ORGANISATION;
  const about = () => ({ org, now: now(), rights: ALL_RIGHTS });
  return {
    createKey: (name) => createApiKey(records, { ...about(), name }),
    commandLineKey: async () => {
      const key = newApiKey();
      await records.transact(async (writer) => {
        await writer.run('DELETE FROM api_keys WHERE org = ? AND name = ?', [org, COMMAND_LINE_KEY]);
        await recordApiKey(writer, key, { ...about(), name: COMMAND_LINE_KEY });
      });
      return key;
    },
  };
}
