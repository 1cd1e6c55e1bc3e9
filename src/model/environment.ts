import type { SecretSource } from './value.js';

/** A place to release to, resolved from the plan. The name `local` is the embedded platform. */
export interface Environment {
  readonly name: string;
  /** Base address without trailing slash; undefined for `local`, whose platform is found or started. */
  readonly baseUrl?: string;
  readonly credentials?: { readonly clientId: SecretSource; readonly clientSecret: SecretSource };
  /** `off`: settle by reads only. `listen` is host:port of the listener; `url` is how the service reaches it. */
  readonly callbacks: 'off' | { readonly url?: string; readonly listen?: string };
  /** Requests per window, or undefined: unlimited. */
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number };
  /** Unsettled writes per signing wallet. */
  readonly maxInFlight: number;
  /** `plan`: writes of one wallet are sent in plan order, each after the last was answered. `any`: side by side. */
  readonly sendOrder: 'plan' | 'any';
  readonly rpcUrl?: string;
  /** Extras that the service offers; `local` asks the platform instead. */
  readonly capabilities: readonly string[];
  readonly protected: boolean;
  /** Where lock and journal live; absent: in the plan's folder. */
  readonly state?: GitState;
}

/** Lock and journal in a ref of a Git remote. */
export interface GitState {
  /** A remote of the repository that the plan lies in. */
  readonly remote: string;
  /** Name of the lineage in the remote; absent: derived from where the plan lies in its repository. */
  readonly name?: string;
}

/** Name of the environment that always exists. */
export const LOCAL = 'local';
