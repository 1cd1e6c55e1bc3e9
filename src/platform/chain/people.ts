import type { Reader, Records, Writer } from '../state/records.js';
import { checksummed } from './signing.js';
import { keepSealed, placeOf, SEALED_PEOPLE, sealedRows } from './sealed-rows.js';
import { open, seal, type Kek } from './vault.js';
import type { Wallet } from './wallets.js';

/** Who a wallet belongs to: personal data. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** National identity number. */
  readonly ic: string;
  readonly phone: string | null;
}

/** The people behind end-user wallets, sealed by the platform's key-encryption key. */
export interface People {
  /** Keeps who a new wallet belongs to. */
  keep(writer: Writer, wallet: Pick<Wallet, 'id' | 'org' | 'address'>, person: Person): Promise<void>;
  /** Who a wallet of an organisation belongs to; undefined where that is nobody, or somebody else's. @throws SealBroken */
  find(reader: Reader, org: string, address: string): Promise<Person | undefined>;
}

/** Opens the people of a platform: decrypted for one answer at a time. */
export function createPeople(kek: Kek): People {
  return {
    keep: (writer, wallet, person) => keep(writer, kek, { wallet, person }),
    find: async (reader, org, address) => {
      const key = checksummed(address)?.toLowerCase() ?? '';
      const condition = { sql: 'wallets.org = ? AND wallets.address_key = ?', args: [org, key] };
      const [row] = await sealedRows(reader, SEALED_PEOPLE, condition);
      if (!row) return undefined;
      const plain = open(kek, row, placeOf(SEALED_PEOPLE, row));
      return JSON.parse(Buffer.from(plain).toString('utf8')) as Person;
    },
  };
}

/** Table of an earlier release, where people stood in plain text. */
const PLAIN = 'wallet_users';

/** Seals the people that an earlier release kept in plain text, or an archive of it, and expunges what stood there. */
export async function sealPeople(records: Records, kek: Kek): Promise<void> {
  if (!(await records.first(`SELECT wallet_id FROM ${PLAIN} LIMIT 1`))) return;
  await records.transact(async (writer) => {
    const rows = await writer.all<Person & Pick<Wallet, 'id' | 'org' | 'address'>>(
      `SELECT w.id, w.org, w.address, u.name, u.email, u.ic, u.phone
       FROM ${PLAIN} u JOIN wallets w ON w.id = u.wallet_id
       WHERE u.wallet_id NOT IN (SELECT wallet_id FROM wallet_people)`,
    );
    for (const { id, org, address, name, email, ic, phone } of rows) {
      await keep(writer, kek, { wallet: { id, org, address }, person: { name, email, ic, phone } });
    }
  });
  // After the commit: a crash in between leaves them in both, and the next start takes the plain ones away.
  await records.expunge(PLAIN);
}

async function keep(
  writer: Writer,
  kek: Kek,
  about: { readonly wallet: Pick<Wallet, 'id' | 'org' | 'address'>; readonly person: Person },
): Promise<void> {
  const { wallet, person } = about;
  const place = placeOf(SEALED_PEOPLE, { org: wallet.org, address_key: wallet.address.toLowerCase() });
  const held = seal(kek, Buffer.from(JSON.stringify(person)), place);
  await keepSealed(writer, SEALED_PEOPLE, { wallet: wallet.id, held });
}
