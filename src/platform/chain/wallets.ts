import type { Reader, Writer } from '../state/records.js';

/**
 * `organisation` deploys and owns; `end_user` belongs to a person; `system` deploys audit contracts for an
 * organisation, which neither sees it nor signs with it.
 */
export type WalletType = 'organisation' | 'end_user' | 'system';

/** A custodial wallet. Its key is sealed apart, and opened by the signer only. */
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

/** Which wallets a list asks for: `type`, or both that an organisation sees. */
export interface WalletPage {
  readonly type: WalletType | undefined;
  readonly size: number;
  /** Wallets before the page. */
  readonly offset: number;
}

/** A page of wallets, and how many there are on all pages. */
export interface ListedWallets {
  readonly wallets: readonly Wallet[];
  readonly total: number;
}

/** The custodial wallets of all organisations. */
export interface Wallets {
  /** Makes a wallet with a new key, or for a given one. */
  create(
    writer: Writer,
    wallet: {
      readonly org: string;
      readonly name: string;
      readonly type: WalletType;
      /** A key made elsewhere, 32 bytes; stays as it is. */
      readonly key?: Uint8Array;
    },
  ): Promise<Wallet>;
  /** The wallet of an organisation by address, whatever its case. */
  find(reader: Reader, org: string, address: string): Promise<Wallet | undefined>;
  /** One page of what an organisation sees of its wallets, oldest first, and how many there are on all pages. */
  page(reader: Reader, org: string, page: WalletPage): Promise<ListedWallets>;
  /** Wallets of an organisation, oldest first. */
  list(reader: Reader, org: string, type?: WalletType): Promise<readonly Wallet[]>;
}
