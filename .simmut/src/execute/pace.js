/** For a service somewhere: its own retries of callbacks reach half an hour (service facts, F8, F9). */
export const REMOTE_PACE = {
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
export function localPace(executionBoundMs) {
    if (executionBoundMs === undefined)
        return REMOTE_PACE;
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
/** When to look again after the n-th look (from 0). */
export function nextLookMs(pace, looks, callbackExpected) {
    const first = callbackExpected ? pace.firstLookWithCallbackMs : pace.firstLookMs;
    return Math.min(Math.max(pace.maxLookMs, first), first * pace.factor ** looks);
}
