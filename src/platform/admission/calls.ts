import type { ReadRules } from '../chain/reads/tenant-reads.js';
import { callerOf } from './gate.js';
import type { Limits } from './limits.js';
import type { Rates } from './rates.js';

/** Milliseconds of the node that cost as much as a request. */
const CALL_MS = 25;

/** Calls of one organisation that may wait for the node. */
const CALLS_WAITING = 1000;

/** What tenants may ask of the node, and what it costs them: its time counts as requests, once it is known. */
export function callRules(
  limits: Limits,
  rates: Rates,
): { readonly reads: ReadRules; readonly spent: (org: string, milliseconds: number) => void } {
  const { callGas, logBlocks } = limits;
  return {
    reads: {
      heavyAtATime: limits.callsAtATime,
      heavyPerOrganisation: limits.callsPerOrganisation,
      waiting: CALLS_WAITING,
      patienceMs: limits.callMs,
      bounds: callGas === Infinity ? undefined : { callGas: BigInt(callGas), logBlocks },
    },
    spent: (org, milliseconds) => rates.charge(callerOf(org), Math.floor(milliseconds / CALL_MS)),
  };
}
