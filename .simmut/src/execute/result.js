/** The result that a run's steps amount to. */
export function summarise(steps, stopped) {
    const has = (...ends) => steps.some(({ end }) => ends.includes(end));
    if (has('undecided'))
        return { result: 'undecided', steps };
    if (stopped)
        return { result: 'interrupted', steps };
    return { result: has('failed', 'skipped') ? 'incomplete' : 'done', steps };
}
