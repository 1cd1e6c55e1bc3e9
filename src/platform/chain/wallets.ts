import type { Reader, Writer } from '../state/records.js';

/**
 * `organisation` deploys and owns; `end_user` belongs to a person; `system` deploys audit contracts for an
 * organisation, which neither sees it nor signs with it.
 */
export type WalletType = 'organisation' | 'end_user' | 'system';

/** A custodial wallet. Its key is derived when it signs and stored nowhere. */
export interface Wallet {
  readonly id: number;
  readonly org: string;
  readonly name: string;
  readonly wallet_type: WalletType;
  /** Checksummed. */
  readonly address: string;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The custodial wallets of all organisations. */
export interface Wallets {
  /** Makes a wallet at the next place of the platform's key tree. */
  create(
    writer: Writer,
    wallet: { readonly org: string; readonly name: string; readonly type: WalletType },
  ): Promise<Wallet>;
  /** The wallet of an organisation by address, whatever its case. */
  find(reader: Reader, org: string, address: string): Promise<Wallet | undefined>;
  /** Wallets of an organisation, oldest first. */
  list(reader: Reader, org: string, type?: WalletType): Promise<readonly Wallet[]>;
  /** The private key of a custodial wallet, for the signer only. */
  keyOf(reader: Reader, address: string): Promise<Uint8Array | undefined>;
}
