/** The journal events of changes that write nothing remote: moved, adopted and forgotten resources. */
export function bookkeeping(changeSet, state) {
    const events = [];
    for (const change of changeSet.changes)
        events.push(...moved(change), ...adopted(change, state), ...forgotten(change, state));
    return events;
}
function moved({ id, movedFrom }) {
    return movedFrom === undefined ? [] : [{ type: 'resource-moved', from: movedFrom, to: id }];
}
/** What is locked already keeps the step that made it, so that its marks are found again. */
function adopted({ id, adopt, inputs }, { lock }) {
    if (adopt === undefined)
        return [];
    const step = lock?.entries.get(id)?.step;
    const made = step === undefined ? {} : { step };
    return [{ type: 'resource-adopted', id, outputs: adopt, inputs, grade: 'B', ...made }];
}
function forgotten({ id, action }, state) {
    return action === 'forget' && state.lock?.entries.has(id) === true
        ? [{ type: 'resource-forgotten', id }]
        : [];
}
