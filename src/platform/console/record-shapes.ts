/** What the console's reads of audit records, certificates and wallets answer; as in `shapes.ts`. */
import type { Json, JsonObject } from '../../model/json.js';
import type { Standing } from './shapes.js';

/** An audit record in the list; `metadata` is at most 200 characters of it. */
export interface AuditItem {
  readonly id: number;
  /** Name of the audit contract. */
  readonly contract: string;
  readonly contract_address: string;
  readonly from: string;
  readonly status: Standing;
  readonly metadata: string;
  readonly transaction_hash: string | null;
  readonly block: number | null;
  readonly mined_at: string | null;
  readonly created_at: string;
}

/** A whole audit record. */
export interface ShownAudit extends AuditItem {
  readonly metadatahash: string;
  /** True: only its digest is on the chain. */
  readonly encrypted: boolean;
  readonly nonce: number | null;
  /** Key of the step that wrote it, by which Windlass finds it again; null when its metadata has no envelope. */
  readonly plan_key: string | null;
  /** The author's metadata inside the envelope; null when there is none. */
  readonly content: { readonly of: Json } | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
}

/** One comparison of a verification. */
export interface AuditCheck {
  readonly name: string;
  readonly outcome: 'match' | 'mismatch' | 'unknown';
  /** What was compared with what, and what that covers. */
  readonly text: string;
  readonly recorded?: string;
  readonly recomputed?: string;
}

/** What comes of verifying a record: `unknown` when nothing contradicts it and not everything could be compared. */
export interface AuditVerdict {
  readonly verdict: 'intact' | 'altered' | 'unknown';
  readonly checks: readonly AuditCheck[];
}

/** What audit records can be narrowed to. */
export interface AuditFilters {
  readonly contracts: readonly { readonly name: string; readonly address: string }[];
  readonly categories: readonly { readonly id: number; readonly name: string }[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
}

/** A certificate contract. */
export interface CertificateContract {
  readonly address: string;
  readonly nickname: string;
  readonly name: string;
  readonly symbol: string;
  readonly minted: number;
  /** 0: no limit. */
  readonly max_supply: number;
}

/** A certificate in the list. */
export interface CertificateItem {
  readonly contract_address: string;
  readonly symbol: string;
  readonly token_id: number;
  /** How its mint stands. */
  readonly status: Standing;
  readonly created_at: string;
  readonly name: string;
  /** Path of its picture; null when it is none that browsers show. */
  readonly picture: string | null;
}

/** A certificate with what its metadata document says and how it moved. */
export interface ShownCertificate extends CertificateItem {
  readonly contract: string;
  readonly description: string;
  /** Key of the step that minted it, by which Windlass finds it again; null when it carries none. */
  readonly plan_key: string | null;
  /** Those of the author. */
  readonly attributes: readonly JsonObject[];
  readonly image: string;
  readonly document: string;
  /** Whose it is by the transactions on record; null until it is minted. */
  readonly owner: string | null;
  readonly moves: readonly CertificateMove[];
}

/** A mint or a transfer. */
export interface CertificateMove {
  readonly kind: 'mint' | 'transfer';
  readonly from: string;
  readonly to: string;
  readonly status: Standing;
  readonly transaction_hash: string | null;
  readonly created_at: string;
}

/** A wallet in the list; names of people are masked. */
export interface WalletItem {
  readonly address: string;
  readonly name: string;
  readonly masked: boolean;
  readonly type: 'organisation' | 'end_user';
  readonly is_active: boolean;
  readonly created_at: string;
  readonly transactions: number;
}

/** Who a wallet belongs to, told when asked for. */
export interface WalletPerson {
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
}
