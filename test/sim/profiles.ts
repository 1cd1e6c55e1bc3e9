import { CAPABILITIES, type Capability } from '../../src/protocol/endpoint.js';
import { localPace, REMOTE_PACE, type Pace } from '../../src/execute/pace.js';

/** A service as the plan's environment knows it. */
export interface Profile {
  readonly name: string;
  readonly capabilities: readonly Capability[];
  readonly callbacks: boolean;
  /** A node of the chain can be read, too. */
  readonly chain?: true;
  readonly maxInFlight: number;
  /** `any`: a wallet's writes do not wait for each other's answers. Default: `plan`. */
  readonly sendOrder?: 'any';
  readonly pace: Pace;
  /** From execution to the chain's confirmation. */
  readonly confirmMs: number;
  /** Waits before a callback that was not answered 200 is sent again. */
  readonly redeliveryMs: readonly number[];
}

const BOUND_MS = 5_000;
const MINUTE_MS = 60_000;

const LIVE: readonly Capability[] = ['projects', 'instances', 'receipts', 'lists'];

const REMOTE = {
  // Fewer looks within the same horizons: how often it looks is not what is proven.
  pace: { ...REMOTE_PACE, maxLookMs: 5 * MINUTE_MS },
  confirmMs: 3_000,
  redeliveryMs: [5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS],
};

const OWN = {
  capabilities: CAPABILITIES,
  pace: { ...localPace(BOUND_MS), maxLookMs: 20_000 },
  confirmMs: 100,
  redeliveryMs: [500, 1_000, 5_000, 30_000, 5 * MINUTE_MS],
};

/** The services that every plan is released to: the interface alone, with the public extras, and our own. */
export const PROFILES: readonly Profile[] = [
  { name: 'core', ...REMOTE, capabilities: [], callbacks: true, maxInFlight: 1 },
  { name: 'core-32', ...REMOTE, capabilities: [], callbacks: true, maxInFlight: 32 },
  { name: 'core-off', ...REMOTE, capabilities: [], callbacks: false, maxInFlight: 1 },
  { name: 'live', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 1 },
  { name: 'live-32', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 32 },
  { name: 'live-off', ...REMOTE, capabilities: LIVE, callbacks: false, maxInFlight: 32 },
  { name: 'local', ...OWN, callbacks: true, maxInFlight: 32 },
  { name: 'live-any', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 32, sendOrder: 'any' },
  { name: 'local-any', ...OWN, callbacks: true, maxInFlight: 32, sendOrder: 'any' },
  // So few that steps wait for a place in flight.
  { name: 'live-any-2', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 2, sendOrder: 'any' },
  { name: 'local-any-2', ...OWN, callbacks: true, maxInFlight: 2, sendOrder: 'any' },
  // The interface alone, and the chain: what a release to a public chain has.
  { name: 'chain', ...REMOTE, capabilities: [], callbacks: true, chain: true, maxInFlight: 1 },
  { name: 'chain-32', ...REMOTE, capabilities: LIVE, callbacks: true, chain: true, maxInFlight: 32 },
  { name: 'local-off', ...OWN, callbacks: false, maxInFlight: 32 },
];

/** Our own platform publishes its bound, signs its answers, and can be asked to answer when everything has its outcome. */
export function isOwn({ pace }: Profile): boolean {
  return pace.executionBoundMs !== undefined;
}

/** True where it can be read which wallet created a contract. */
export function tellsWallets({ chain, capabilities }: Profile): boolean {
  return chain === true || capabilities.includes('receipts');
}
