import { availableParallelism } from 'node:os';

/**
 * What one platform takes on. Each figure has a default for a platform that is for others, and another one, mostly none,
 * for a platform on loopback, whose only user is its owner. `docs/hosting.md` has them as a table; each is a
 * `--switch NAME=NUMBER` of `platform start`.
 */
export interface Limits {
  /** Requests of one organisation in a minute. */
  readonly requestsPerMinute: number;
  /** Those to the operator's and the console's routes, which answer while the service is at its rate. */
  readonly operatorRequestsPerMinute: number;
  /** Requests without a key from one client address in a minute; health checks count apart. */
  readonly clientRequestsPerMinute: number;
  /** Requests of one organisation, or of one client address without a key, at a time. */
  readonly requestsAtATime: number;
  /** Connections at a time; half of them from one address. */
  readonly connections: number;
  /** Transactions and versions of all organisations that may wait before writes are refused. */
  readonly waiting: number;
  /** Those of one organisation. */
  readonly waitingPerOrganisation: number;
  /** Bytes of bodies that are held at a time, all organisations together. */
  readonly bytesInFlight: number;
  /** Those of one organisation, or of one client address without a key. */
  readonly bytesInFlightPerOrganisation: number;
  /** Milliseconds that a body may stand still. */
  readonly uploadGraceMs: number;
  /** Bytes of a body in a second, at least, once its grace is used up. */
  readonly uploadBytesPerSecond: number;
  /** Calls in one JSON-RPC batch. */
  readonly batchCalls: number;
  /** Gas that one call or estimate may use. */
  readonly callGas: number;
  /** Calls that run on the node at a time, all organisations together. */
  readonly callsAtATime: number;
  /** Those of one organisation. */
  readonly callsPerOrganisation: number;
  /** Milliseconds that a call may take, its waiting included. */
  readonly callMs: number;
  /** Blocks that one `eth_getLogs` may cover. */
  readonly logBlocks: number;
  /** Bytes that one organisation keeps: files, transactions, records. */
  readonly storedBytes: number;
  /** Custodial wallets of one organisation, people's among them. */
  readonly wallets: number;
  /** Projects of one organisation. */
  readonly projects: number;
  /** Versions of one organisation. */
  readonly versions: number;
  /** Categories and tags of one organisation. */
  readonly labels: number;
  /** API keys of one organisation. */
  readonly keys: number;
  /** Callbacks of one organisation that nobody has acknowledged yet. */
  readonly callbacksWaiting: number;
  /** Console sessions of one organisation, and as many links that sign in; the oldest go first. */
  readonly sessions: number;
}

const NONE = Infinity;

const LOCAL: Limits = {
  requestsPerMinute: NONE,
  operatorRequestsPerMinute: NONE,
  clientRequestsPerMinute: NONE,
  requestsAtATime: NONE,
  connections: NONE,
  waiting: 20_000,
  waitingPerOrganisation: NONE,
  bytesInFlight: 512_000_000,
  bytesInFlightPerOrganisation: NONE,
  uploadGraceMs: 60_000,
  uploadBytesPerSecond: 1000,
  batchCalls: 1000,
  callGas: NONE,
  callsAtATime: 4,
  callsPerOrganisation: 4,
  callMs: 60_000,
  logBlocks: NONE,
  storedBytes: NONE,
  wallets: NONE,
  projects: NONE,
  versions: NONE,
  labels: NONE,
  keys: NONE,
  callbacksWaiting: NONE,
  sessions: 100,
};

const HOSTED: Limits = {
  // The public service of this kind takes as many.
  requestsPerMinute: 400,
  operatorRequestsPerMinute: 400,
  clientRequestsPerMinute: 1200,
  requestsAtATime: 64,
  connections: 2000,
  waiting: 20_000,
  waitingPerOrganisation: 5000,
  bytesInFlight: 512_000_000,
  bytesInFlightPerOrganisation: 128_000_000,
  uploadGraceMs: 10_000,
  uploadBytesPerSecond: 8000,
  batchCalls: 100,
  // Half a second at most of what a node does fastest: hashing.
  callGas: 25_000_000,
  // The node shares the machine with the platform, and needs a processor for its own blocks.
  callsAtATime: Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
  callsPerOrganisation: 1,
  callMs: 10_000,
  logBlocks: 10_000,
  storedBytes: 5_000_000_000,
  wallets: 100_000,
  projects: 1000,
  versions: 10_000,
  labels: 10_000,
  keys: 100,
  callbacksWaiting: 10_000,
  sessions: 100,
};

/** Names of all limits: each is a switch of the command line. */
export const LIMIT_NAMES = Object.keys(LOCAL) as readonly (keyof Limits)[];

/** The limits of a platform: those that are given, and the defaults for the rest. */
export function limitsOf(given: Partial<Limits>, hosted: boolean): Limits {
  return { ...(hosted ? HOSTED : LOCAL), ...given };
}
