/** How patient a run is. All in milliseconds. */
export interface Pace {
  /** First look after an answer to a write that nothing calls back for. */
  readonly firstLookMs: number;
  /** First look where a callback is expected. */
  readonly firstLookWithCallbackMs: number;
  /** Looks grow apart by this factor up to `maxLookMs`. */
  readonly factor: number;
  readonly maxLookMs: number;
  /** An accepted write that shows nothing for so long is undecided. */
  readonly acceptedHorizonMs: number;
  /** A write whose answer was lost is undecided when it shows nothing for so long. */
  readonly ambiguousHorizonMs: number;
  /**
   * The service never begins a request later than this after it arrived: its own published bound. Then a write that
   * reads do not show after the ambiguous horizon was not executed. Undefined: nothing of the kind is known.
   */
  readonly executionBoundMs?: number;
  /** Something on the way takes off the headers by which the service keeps to its bound and signs its answers. */
  readonly unsigned?: true;
  /** A run that is stopped waits so long for the outcomes of what it has sent; the next run looks for the rest. */
  readonly drainMs: number;
  /** Sendings of one step in one run that provably did not arrive or were refused for their rate. */
  readonly maxSendings: number;
}

/** For a service somewhere: its own retries of callbacks reach half an hour (service facts, F8, F9). */
export const REMOTE_PACE: Pace = {
  firstLookMs: 3_000,
  firstLookWithCallbackMs: 15_000,
  factor: 1.5,
  maxLookMs: 15_000,
  acceptedHorizonMs: 45 * 60_000,
  ambiguousHorizonMs: 45 * 60_000,
  drainMs: 20_000,
  maxSendings: 5,
};

/** For the embedded platform, which publishes how late it may begin a request; as for any other service when it does not. */
export function localPace(executionBoundMs: number | undefined): Pace {
  if (executionBoundMs === undefined) return REMOTE_PACE;
  return {
    firstLookMs: 25,
    firstLookWithCallbackMs: 1_000,
    factor: 1.5,
    maxLookMs: 1_000,
    acceptedHorizonMs: 10 * 60_000,
    ambiguousHorizonMs: executionBoundMs + 1_000,
    executionBoundMs,
    drainMs: 20_000,
    maxSendings: 5,
  };
}

/** True when absence will prove that what is sent now had no effect. */
export function isBounded({ executionBoundMs, unsigned }: Pace): boolean {
  return executionBoundMs !== undefined && unsigned !== true;
}

/** The same patience where absence proves nothing. */
export function unbounded(pace: Pace): Pace {
  const { executionBoundMs: _none, ...rest } = pace;
  return rest;
}

/** Since when what was sent may still be delivered a second time by something on the way; ISO 8601 UTC. */
export function mayRepeatSince(pace: Pace, nowMs: number): string {
  return new Date(nowMs - pace.acceptedHorizonMs).toISOString();
}

/** When to look again after the n-th look (from 0). */
export function nextLookMs(pace: Pace, looks: number, callbackExpected: boolean): number {
  const first = callbackExpected ? pace.firstLookWithCallbackMs : pace.firstLookMs;
  return Math.min(Math.max(pace.maxLookMs, first), first * pace.factor ** looks);
}
