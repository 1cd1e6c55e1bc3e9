/** The open attempts of earlier runs, oldest first; at most one for a step. */
export function continuedAttempts(steps, state) {
    const makers = new Map();
    for (const step of steps)
        for (const id of step.resources)
            makers.set(id, step);
    const continued = new Map();
    for (const attempt of state.openAttempts) {
        const planned = makerOf(attempt, makers);
        if (planned === undefined || continued.has(planned))
            continue;
        const outcome = attempt.answered?.outcome;
        continued.set(planned, {
            planned,
            attempt,
            effectless: attempt.settled === undefined && (outcome === 'not_sent' || outcome === 'rejected'),
        });
    }
    return [...continued.values()];
}
function makerOf({ resources }, makers) {
    const id = resources.find((resource) => makers.has(resource));
    return id === undefined ? undefined : makers.get(id);
}
