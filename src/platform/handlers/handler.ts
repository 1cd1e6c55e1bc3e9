import type { Json, JsonObject } from '../../model/json.js';
import type { EndpointName } from '../../protocol/endpoint.js';
import type { Pagination } from '../../protocol/shapes.js';
import type { Quotas } from '../admission/quotas.js';
import type { Chain } from '../chain/chain.js';
import type { Fees } from '../chain/ledger.js';
import type { People } from '../chain/people.js';
import type { Transactions } from '../chain/transactions.js';
import type { Wallets } from '../chain/wallets.js';
import type { Packages } from '../../build/packages.js';
import type { CompileQueue } from '../compiler/queue.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Files } from '../files/files.js';
import type { Records, TableGroup } from '../state/records.js';
import type { StatusWords } from './contracts/status-words.js';
import type { VersionLimits } from './contracts/version-limits.js';

/** One file of a multipart request, in memory. */
export interface UploadedFile {
  /** Form field, without a trailing `[]`. */
  readonly field: string;
  /** As the client named it: untrusted. */
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** One request, authenticated and parsed. Nothing in it but `org` is checked. */
export interface Call {
  /** Organisation of the API key. Every read and write is bound to it. */
  readonly org: string;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON body, or form fields: `a[b][c]` nested, `x[]` an array of strings. Empty for reads. */
  readonly body: JsonObject;
  readonly files: readonly UploadedFile[];
  /** Places in a JSON body (`metadata.total`) that would be spelled otherwise if they were written down as JSON again. */
  readonly respelled?: readonly string[];
}

/** What a handler answers; the server puts the endpoint's envelope round it. */
export interface Reply {
  readonly result: Json;
  readonly pagination?: Pagination;
  /** `message` of the message envelope; `Success` when absent. */
  readonly message?: string;
  /** `status` of the status envelope where the service has a word instead of 200 (`owner-transfer`). */
  readonly status?: string;
}

/** Switches of one platform, fixed while it runs. */
export interface Settings {
  /** Base of every URL in an answer, without a trailing slash. */
  readonly publicUrl: string;
  /** Cost of `metadatahash`, 4 to 31. */
  readonly bcryptCost: number;
  /** Whether a deployed version may be deployed again. */
  readonly allowRedeploy: boolean;
  /** Whether the callback of a failed deployment lists the contracts that stand. */
  readonly listPartialDeployment: boolean;
  /** Words for the states that the interface leaves open. */
  readonly statusWords: StatusWords;
  /** What versions of one organisation may take. */
  readonly versions: VersionLimits;
  /** Organisation wallets that one organisation may have before creating more is refused; no limit when absent. */
  readonly maxOrganisationWallets?: number;
}

/** Everything a handler may use. */
export interface Context {
  readonly records: Records;
  /** The chain as the caller may read it; where there is none, as the platform itself does. */
  readonly chain: Chain;
  /** The chain as an organisation may read it. */
  readonly chainOf: (org: string) => Chain;
  readonly transactions: Transactions;
  readonly wallets: Wallets;
  readonly people: People;
  readonly delivery: Delivery;
  /** What an organisation may have. */
  readonly quotas: Quotas;
  readonly files: Files;
  readonly compiler: CompileQueue;
  /** Where compilers and packages come from. */
  readonly packages: Packages;
  readonly settings: Settings;
  /** What custodial transactions pay. */
  readonly fees: () => Fees;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One endpoint: a parsed request to a reply. */
export type Handler = (context: Context, call: Call) => Promise<Reply>;

/** Handlers by the endpoint they answer. A module exports its own part; the server mounts them all. */
export type Handlers = { readonly [Name in EndpointName]?: Handler };

/**
 * A part of the service: its tables, its endpoints, and what it does when its transactions settle. The platform
 * mounts the modules that `handlers/modules.ts` lists.
 */
export interface Module {
  readonly tables: TableGroup;
  readonly handlers: Handlers;
  /** Called once before the server listens: registers listeners with `context.transactions.onSettled`. */
  readonly start?: (context: Context) => void;
}

/** A refusal. The server answers `status` with `{message, errors?}`. */
export class ServiceError extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined;

  /** @param errors texts by field, dots between nested names (`wallet_options.type`) */
  constructor(status: number, message: string, errors?: Readonly<Record<string, readonly string[]>>) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.errors = errors;
  }
}

/** The 404 for what does not exist and for what belongs to someone else: both look alike. */
export function notFound(): ServiceError {
  return new ServiceError(404, 'Not Found');
}

/** A 422 with texts by field; its message is the first text, and a count of the others. */
export function invalid(errors: Readonly<Record<string, readonly string[]>>): ServiceError {
  const texts = Object.values(errors).flat();
  const more = texts.length - 1;
  const tail = more > 0 ? ` (and ${String(more)} more error${more > 1 ? 's' : ''})` : '';
  return new ServiceError(422, `${texts[0] ?? 'The given data was invalid.'}${tail}`, errors);
}
