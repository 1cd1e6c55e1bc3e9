import type { Reader } from '../state/records.js';
import { signTransaction, type Signed, type Unsigned } from './signing.js';
import { placeOf, SEALED_KEYS, sealedRows } from './sealed-rows.js';
import { open, type Kek } from './vault.js';

/** Signs with custodial keys. Nothing else in the platform decrypts one. */
export interface Signer {
  /** Signs with the key of an address, or answers undefined when the platform has none. @throws SealBroken */
  sign(reader: Reader, address: string, unsigned: Unsigned): Promise<Signed | undefined>;
}

/** The signer over sealed keys: each is decrypted for one signature and wiped. */
export function createSigner(kek: Kek): Signer {
  return {
    sign: async (reader, address, unsigned) => {
      const condition = { sql: 'wallets.address_key = ?', args: [address.toLowerCase()] };
      const [row] = await sealedRows(reader, SEALED_KEYS, condition);
      if (!row) return undefined;
      const key = open(kek, row, placeOf(SEALED_KEYS, row));
      try {
        return signTransaction(unsigned, key);
      } finally {
        key.fill(0);
      }
    },
  };
}
