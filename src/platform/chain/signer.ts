import type { Reader } from '../state/records.js';
import { signTransaction, type Signed, type Unsigned } from './signing.js';
import { open, type Kek, type Sealed } from './vault.js';

/** Signs with custodial keys. Nothing else in the platform decrypts one. */
export interface Signer {
  /** Signs with the key of an address, or answers undefined when the platform has none. @throws SealBroken */
  sign(reader: Reader, address: string, unsigned: Unsigned): Promise<Signed | undefined>;
}

/** A sealed key with what it belongs to. */
export interface SealedKeyRow extends Sealed {
  readonly wallet_id: number;
  readonly org: string;
  readonly address_key: string;
}

/** Sealed keys with their place. */
export const SEALED_KEYS = `SELECT wallet_keys.wallet_id, wallet_keys.kek, wallet_keys.wrapped, wallet_keys.sealed,
  wallets.org, wallets.address_key FROM wallet_keys JOIN wallets ON wallets.id = wallet_keys.wallet_id`;

/** Where a custodial key belongs: sealed for one wallet, it opens for no other. */
export function placeOf({ org, address_key: address }: Pick<SealedKeyRow, 'org' | 'address_key'>): string {
  return `custodial key of ${address} in ${org}, version 1`;
}

/** The signer over sealed keys: each is decrypted for one signature and wiped. */
export function createSigner(kek: Kek): Signer {
  return {
    sign: async (reader, address, unsigned) => {
      const sql = `${SEALED_KEYS} WHERE wallets.address_key = ?`;
      const row = await reader.first<SealedKeyRow>(sql, [address.toLowerCase()]);
      if (!row) return undefined;
      const key = open(kek, row, placeOf(row));
      try {
        return signTransaction(unsigned, key);
      } finally {
        key.fill(0);
      }
    },
  };
}
