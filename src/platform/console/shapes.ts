/**
 * What the console's reads answer, shared by the platform and the page that it serves. Times are ISO 8601 UTC, addresses
 * checksummed, ids those of the records.
 */
import type { Json } from '../../model/json.js';
import type { Artifact, Receipt, VersionItem } from '../../protocol/shapes.js';
import type { CallbackItem } from '../delivery/callback-item.js';
import type { About } from './subjects.js';

/** What a list of the console shows: one page of 25. */
export interface ListPage<Row> {
  readonly items: readonly Row[];
  /** From 1. */
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
  /** Rows on all pages. */
  readonly total: number;
}

/** What an organisation has, as numbers by name. `block` is the height of the chain. */
export type Counts = Readonly<Record<string, number>>;

/** How something on the chain stands. */
export type Standing = 'pending' | 'success' | 'failed';

/** Who is signed in, and to what. */
export interface Session {
  readonly organisation: string;
  /** Name of the key, what it may do, and when it ends; null: never. */
  readonly key: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly id: string;
  readonly api_url: string;
  readonly rpc_url: string;
  readonly chain_id: number;
  readonly genesis: string;
  readonly capabilities: readonly string[];
}

/** A project in the list. */
export interface ProjectItem {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: string;
  /** How many versions it has, and how many of them did not compile. */
  readonly versions: number;
  readonly failed: number;
  /** Name of the newest version, and how it stands. */
  readonly newest: string | null;
  readonly newest_status: string | null;
  readonly deployed_at: string | null;
}

/** A version; `optimizer` is its number of runs, or null when it is off. */
export type ListedVersion = Omit<VersionItem, 'compiler_settings'> & {
  readonly compiler_settings: { readonly solidity: string };
  readonly optimizer: number | null;
};

/** A project with all its versions, newest first. */
export interface ShownProject {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly versions: readonly ListedVersion[];
}

/** A version in the list of all projects'; `latest_error` is at most 2,000 characters of it. */
export interface VersionListItem {
  readonly project: string;
  readonly version: string;
  readonly slug: string;
  readonly status: string;
  readonly latest_error: string;
  readonly created_at: string;
  readonly last_deployed_at: string | null;
}

/** A contract that was sent to the chain, in the list. */
export interface ContractItem extends VersionInstance {
  readonly project: string;
  readonly version: string;
  readonly version_slug: string;
  readonly deployed_at: string | null;
}

/** A version with what is in it and where it stands. */
export type ShownVersion = ListedVersion & {
  readonly artifacts: readonly Artifact[];
  readonly contract_files: readonly { readonly filename: string; readonly url: string }[];
  readonly instances: readonly VersionInstance[];
};

/** A contract of a version that was sent to the chain. */
export interface VersionInstance {
  readonly contract: string;
  readonly address: string | null;
  readonly status: Standing;
  readonly deployment_id: string;
}

/** A deployment in the list. */
export interface DeploymentItem {
  readonly deployment_id: string;
  readonly project: string;
  readonly version: string;
  readonly version_slug: string;
  readonly status: string;
  /** Contracts in it, and those that stand. */
  readonly contracts: number;
  readonly standing: number;
  readonly created_at: string;
  readonly deployed_at: string | null;
}

/** A deployment with its contracts, in the order of sending. */
export interface ShownDeployment extends DeploymentItem {
  readonly wallet: { readonly type: string; readonly address: string };
  readonly latest_error: string | null;
  /** Origin of the callback address; the rest is the caller's secret. */
  readonly callback: string | null;
  readonly instances: readonly DeployedContract[];
}

/** One contract of a deployment. */
export interface DeployedContract {
  readonly contract: string;
  readonly address: string | null;
  readonly status: Standing;
  /** Why it failed; empty otherwise. */
  readonly message: string;
  readonly params: Json;
  readonly transaction_hash: string | null;
  readonly receipt: Receipt | null;
}

/** A transaction in the list. */
export interface TransactionItem {
  readonly hash: string;
  /** What it is for: `instance`, `audit-record`, `certificate`, … */
  readonly kind: string;
  readonly about: About;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: number;
  readonly status: Standing;
  readonly block: number | null;
  readonly created_at: string;
}

/** A transaction with its receipt. */
export interface ShownTransaction extends TransactionItem {
  readonly contract_address: string | null;
  /** Whether the platform signed it. */
  readonly custodial: boolean;
  /** Why it failed; empty otherwise. */
  readonly message: string;
  readonly callback: string | null;
  readonly receipt: Receipt | null;
}

/** An API key in the list. */
export interface KeyItem {
  readonly id: number;
  readonly name: string;
  readonly client_id: string;
  /** Whether it has ended, by the platform's clock. */
  readonly expired: boolean;
  readonly created_at: string;
  /** What it may do: `read`, `write`, `operate`. */
  readonly scopes: readonly string[];
  /** Null: never. */
  readonly expires_at: string | null;
  /** To the hour; null: never. */
  readonly last_used_at: string | null;
  /** Why it cannot be revoked here; null when it can. */
  readonly held: 'session' | 'development' | null;
}

/** A request that the service answered. */
export interface RequestItem {
  /** Grows with every request. */
  readonly id: number;
  readonly at: string;
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What a refusal said; empty otherwise. */
  readonly message: string;
}

/** A callback in the list. */
export type ListedCallback = CallbackItem & { readonly about: About };

/** A callback with what it carries. */
export type ShownCallback = ListedCallback & { readonly body: Json };

/** What a search found, and the kinds of which there is more. */
export interface SearchResult {
  readonly items: readonly SearchHit[];
  readonly more: readonly string[];
}

/** Something that a search found; `path` and `query` are its page in the console. */
export interface SearchHit {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}
