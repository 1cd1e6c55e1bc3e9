import type { RegistryOptions } from '../build/registry-options.js';
import type { Capability } from '../protocol/endpoint.js';
import type { Decision } from './faults/decisions.js';
import type { FaultRules } from './faults/rules.js';
import type { Redelivery } from './delivery/schedule.js';
import type { TargetRules } from './delivery/target.js';
import type { StatusWords } from './handlers/contracts/status-words.js';
import type { VersionLimits } from './handlers/contracts/version-limits.js';
import type { Refusals } from './server/server.js';
import type { LogSink } from './server/logs.js';
import type { Limits } from './admission/limits.js';
import type { PostgresPlace } from './state/postgres.js';

/** How to run a platform. */
export interface PlatformOptions {
  /** Folder of its records, chain and files; made when missing. One platform at a time. */
  readonly dataDir: string;
  /** Postgres database of its records; by default they are a file in the data folder. */
  readonly database?: PostgresPlace;
  /** Folder of fetched compilers and packages, and of what was compiled; platforms may share it. */
  readonly cacheDir: string;
  /**
   * Port to listen on; 0 takes a free one. By default the one that the folder remembers, because certificates on the
   * chain name it; a free one when there is none or it is taken.
   */
  readonly port?: number;
  /** Interface to listen on; `127.0.0.1` by default. Elsewhere there is no development key and no well-known wallet. */
  readonly host?: string;
  /**
   * True: the platform is for others, though it listens on loopback, because a proxy before it takes their requests.
   * It then has neither development key nor well-known wallets.
   */
  readonly hosted?: boolean;
  /** Whether `X-Forwarded-*` headers are believed; only behind a proxy that sets them. False by default. */
  readonly trustProxy?: boolean;
  /**
   * Origins (`http://localhost:3000`) whose web pages may ask `/rpc`, as dapps do; none by default. Pages of all others
   * are refused on every route, but for the console's own.
   */
  readonly allowOrigins?: readonly string[];
  /** How long a stopping platform says that it is not ready before it takes no more requests, milliseconds; 0 by default. */
  readonly drainMs?: number;
  /** Takes the lines of the log, JSON each; no log by default. */
  readonly log?: LogSink;
  /** Base of the URLs in answers and in certificates; by default the address it listens on. */
  readonly publicUrl?: string;
  /**
   * Key-encryption key of the custodial keys: 32 bytes, or their hex or base64. By default one that the data folder
   * makes for itself; with `NODE_ENV=production`, beyond loopback, it must be given.
   */
  readonly kek?: Uint8Array | string;
  /**
   * Where callbacks may go; by default this machine only on loopback, elsewhere the public internet only, there to the
   * ports 80, 443 and from 1024 on.
   */
  readonly callbackTargets?: Partial<TargetRules>;
  /** What it takes on, where that is not the default: of a hosted platform, or of one on loopback. */
  readonly limits?: Partial<Limits>;
  /** JSON-RPC address of a node to use instead of the embedded chain. */
  readonly rpcUrl?: string;
  /**
   * Who pays for gas where it is not free: a private key of 32 bytes, and the balance in wei below which a custodial
   * wallet is filled up to twice as much. Only with `rpcUrl`.
   */
  readonly funder?: { readonly key: Uint8Array; readonly floor: bigint };
  /** Number of the embedded chain; 31337 by default. */
  readonly chainId?: number;
  /**
   * Groups of endpoints beyond the core interface that are served; all by default. With none the platform is the core
   * profile: what is not served is an unknown route.
   */
  readonly capabilities?: readonly Capability[];
  /**
   * Versions compiled at a time; 2 by default. On a hosted platform one organisation gets all but one of them, so that
   * one is free for whoever has nothing at work.
   */
  readonly compileWorkers?: number;
  /** What versions of one organisation may take; what is not said is less on a hosted platform than on loopback. */
  readonly versions?: Partial<VersionLimits>;
  /** Where compilers and packages come from; the public registry by default, and nothing of npm's configuration. */
  readonly packages?: RegistryOptions;
  /** Cost of `metadatahash`, 4 to 31; 10 by default. */
  readonly bcryptCost?: number;
  /**
   * Whether callbacks go out until somebody answers 200 (the default), once, or four times: at once and 5, 15 and 30
   * minutes later, as the public service aims to.
   */
  readonly redelivery?: Redelivery;
  /** Whether a deployed version may be deployed again; true by default. */
  readonly allowRedeploy?: boolean;
  /** Whether the callback of a failed deployment lists the contracts that stand; true by default. */
  readonly listPartialDeployment?: boolean;
  /** Words for the states of a version that the interface leaves open. */
  readonly statusWords?: StatusWords;
  /**
   * How the audit, wallet and certificate endpoints refuse: with an HTTP status (the default), or with 200 and the
   * status in the envelope, which the interface allows too.
   */
  readonly refusals?: Refusals;
  /** Organisation wallets that the service creates for one organisation at most, those at start counted; no limit by default. */
  readonly maxOrganisationWallets?: number;
  /** Opens a port of ground truth for tests, on loopback; 0 takes a free one. Off by default. */
  readonly truth?: { readonly port: number };
  /**
   * Whether faults can be set and the clock moved while it runs, each organisation's faults by its own keys, the clock
   * by those of the first organisation. On loopback yes, otherwise no, unless said.
   */
  readonly faultControls?: boolean;
  /** Faults that are in force from the start, for every organisation that they do not leave out. Default none. */
  readonly faults?: FaultRules;
  /** Decisions of a log that are made again from the start, in place of faults by rules. */
  readonly replayedFaults?: readonly Decision[];
  /** Clock, milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of every internal error; by default they are written to standard error. */
  readonly failed?: (cause: unknown) => void;
}
