import type { Reader, Records } from '../state/records.js';
import { rewrapRows, SEALED_KEYS, SEALED_PEOPLE } from './sealed-rows.js';
import type { Kek } from './vault.js';

const META = 'kek';

/** The platform is opened with another key-encryption key than the one that wraps what it sealed. */
class KekMismatch extends Error {
  constructor(wanted: string, given: string) {
    super(
      `keys and people are sealed with the key-encryption key ${wanted}, and the one given is ${given}: ` +
        'give the key that the platform was last started or rotated with',
    );
    this.name = 'KekMismatch';
  }
}

/** Remembers the key-encryption key of new records, and refuses another one for those that are there. @throws KekMismatch */
export async function checkKek(records: Records, kek: Kek): Promise<void> {
  await records.transact(async (writer) => {
    const known = await knownKek(writer);
    if (known === undefined) {
      const sql = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING';
      await writer.run(sql, [META, kek.id]);
    } else if (known !== kek.id) throw new KekMismatch(known, kek.id);
  });
}

/**
 * Wraps every data key anew, all or none. Custodial keys and people stay as they are and are not decrypted.
 *
 * @returns how many data keys were wrapped
 * @throws KekMismatch, SealBroken
 */
export async function rotateKek(records: Records, from: Kek, to: Kek): Promise<number> {
  return records.transact(async (writer) => {
    const known = await knownKek(writer);
    if (known !== undefined && known !== from.id) throw new KekMismatch(known, from.id);
    const keys = await rewrapRows(writer, SEALED_KEYS, { from, to });
    const people = await rewrapRows(writer, SEALED_PEOPLE, { from, to });
    const sql = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = ?';
    await writer.run(sql, [META, to.id, to.id]);
    return keys + people;
  });
}

async function knownKek(reader: Reader): Promise<string | undefined> {
  const row = await reader.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', [META]);
  return row?.value;
}
