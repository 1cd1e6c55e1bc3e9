import { CAPABILITIES } from '../../src/protocol/endpoint.js';
import { localPace, REMOTE_PACE } from '../../src/execute/pace.js';
const BOUND_MS = 5_000;
const MINUTE_MS = 60_000;
const LIVE = ['projects', 'instances', 'receipts', 'lists'];
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
export const PROFILES = [
    { name: 'core', ...REMOTE, capabilities: [], callbacks: true, maxInFlight: 1 },
    { name: 'core-32', ...REMOTE, capabilities: [], callbacks: true, maxInFlight: 32 },
    { name: 'core-off', ...REMOTE, capabilities: [], callbacks: false, maxInFlight: 1 },
    { name: 'live', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 1 },
    { name: 'live-32', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 32 },
    { name: 'live-off', ...REMOTE, capabilities: LIVE, callbacks: false, maxInFlight: 32 },
    { name: 'local', ...OWN, callbacks: true, maxInFlight: 32 },
    { name: 'live-any', ...REMOTE, capabilities: LIVE, callbacks: true, maxInFlight: 32, sendOrder: 'any' },
    { name: 'local-any', ...OWN, callbacks: true, maxInFlight: 32, sendOrder: 'any' },
    { name: 'local-off', ...OWN, callbacks: false, maxInFlight: 32 },
];
