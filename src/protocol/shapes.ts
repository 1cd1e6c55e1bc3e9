/**
 * Result shapes in the service's own field names, as the interface (I) and the public documentation (D) give
 * them. Times are ISO 8601 UTC with microseconds. Reads of a foreign service are untrusted: parse, never cast.
 */
import type { Json, JsonObject } from '../model/json.js';

/** (I) Paging object of a list. The `*_page_url` members are for people: send `page=N`, never follow them. */
export interface Pagination {
  readonly current_page: number;
  readonly first_page_url: string;
  readonly last_page: number;
  readonly last_page_url: string;
  readonly next_page_url: string | null;
  readonly per_page: number;
  readonly prev_page_url: string | null;
  readonly total: number;
}

/** (I) compiler settings as a create or update result shows them; the version has no leading `v`. */
export interface CompilerSettings {
  readonly solidity: {
    readonly version: string;
    readonly settings: { readonly optimizer: { readonly enabled: boolean; readonly runs: number } };
  };
}

/** (I) Contract version, list item and write result. List and detail may show `compiler_settings: {solidity: "0.8.28"}`. */
export interface VersionItem {
  readonly status: string;
  readonly compile_type: string;
  readonly version: string;
  readonly slug: string;
  readonly compiler_settings: CompilerSettings | { readonly solidity: string };
  readonly packages: readonly string[];
  readonly slither_file: string | null;
  readonly last_compiled_at: string | null;
  readonly last_deployed_at: string | null;
  readonly latest_error: string;
  readonly vulnerabilities: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** (I) One compiled contract of a version. */
export interface Artifact {
  readonly id: number;
  readonly contract_name: string;
  readonly contract_abi: readonly JsonObject[];
  readonly bytecode: string;
  readonly source_code: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** (I) One deployed instance with the events of its ABI. The documentation's sample lacks instances without events. */
export interface EmittedEvents {
  readonly contract_address: string;
  readonly contract_name: string;
  readonly events: readonly JsonObject[];
  readonly has_anonymous_events: boolean;
}

/** (I) One contract of a deploy request. `signed_trx` instead of `params` for a non-custodial wallet. */
export interface DeploymentParam {
  readonly sc_artifact_id: number;
  readonly params?: JsonObject | null;
  readonly signed_trx?: string;
  readonly order: number;
}

/** (I) Wallet that deploys. */
export interface WalletOptions {
  readonly type: 'organisation' | 'end_user' | 'non_custodial';
  readonly address: string;
}

/** (I) Result of a deploy request. */
export interface Deployment {
  readonly deployment_id: string;
  readonly status: string;
  readonly wallet_options: WalletOptions;
  readonly deployment_params: readonly DeploymentParam[];
  readonly latest_error: string | null;
  readonly deployed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** (I) Receipt of the deployment callback, web3.js style. Addresses may differ in case between members. */
export interface Receipt {
  readonly to: string | null;
  readonly from: string;
  readonly logs: readonly Json[];
  readonly type: string;
  readonly status: boolean;
  readonly gasUsed: number;
  readonly blockHash: string;
  readonly logsBloom: string;
  readonly blockNumber: number;
  readonly contractAddress: string | null;
  readonly transactionHash: string;
  readonly transactionIndex: number;
}

/** (I) Body of the deployment callback; sent once, when all contracts finished or one failed. */
export interface DeploymentCallback {
  readonly status: 'Completed' | 'Error';
  readonly message: string;
  readonly deployment_id: string;
  readonly deployed_contract_addresses: readonly {
    readonly sc_artifact_id: number;
    readonly contract_address: string;
    readonly receipt: Receipt;
  }[];
}

/** (I) Result of an audit write. */
export interface AuditWrite {
  readonly transactionHash: string;
  readonly nonce: number;
  readonly status: 'pending';
  readonly metadatahash: string;
  readonly metadata: string;
  readonly from: string;
}

/** (I, D) Entry of `get-audit-transaction`. `id` and `metadatahash` stand in the interface, not in the public sample. */
export interface AuditTransaction {
  readonly id: number;
  readonly to: string | null;
  readonly from: string;
  readonly status: 'pending' | 'success' | 'failed';
  readonly blockNumber: number | null;
  readonly transactionHash: string;
  readonly method: 'mint';
  readonly timestamp: string | null;
  readonly metadata: string;
  readonly metadatahash: string;
}

/** (I) Result of a mint or transfer. */
export interface CertificateWrite {
  readonly nft_token_id: number;
  readonly transactionHash: string;
  readonly nonce: number;
  readonly from: string;
  /** (D) Whose it is. */
  readonly organisation_id: string;
  readonly receiver_wallet_address: string;
  readonly certificate: string;
  readonly certificate_image: string;
  readonly status: 'pending';
}

/** (I, D) Entry of `get-certificate`; mints and transfers are both listed. */
export interface CertificateEntry {
  readonly nft_token_id: number;
  readonly transactionHash: string;
  readonly status: 'pending' | 'success' | 'failed';
  readonly from_wallet: string | null;
  readonly to_wallet: string;
  readonly is_mint: 0 | 1;
  readonly blockNumber: number | null;
  /** URL of the metadata document. */
  readonly certificate: string;
  readonly certificate_image: string;
  readonly certificate_file: string;
  readonly certificate_image_file: string | null;
  readonly created_at: string;
  readonly token: {
    readonly contract_address: string;
    readonly name: string;
    readonly symbol: string;
    readonly logo: string | null;
  };
}

/** (D §2.1) Project. */
export interface Project {
  readonly project_name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly version: string | null;
  readonly last_deployed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}
