/** What was seen, but for what proves another step already: two looks may find one effect at the same time, and the first has it. */
export function claimSight(step, sight, claims) {
    const { verdict } = sight;
    const free = verdict.type === 'wait' || claims.take(step, verdict.outputs);
    return free ? sight : { ...sight, verdict: { type: 'wait' }, absent: false };
}
