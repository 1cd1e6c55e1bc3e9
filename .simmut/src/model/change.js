/** What will happen to a resource (design §1). */
export const ACTIONS = ['create', 'update', 'deploy', 'replace', 'forget', 'none', 'blocked'];
/** How many changes have each action. */
export function countActions(changes) {
    const counts = {
        create: 0,
        update: 0,
        deploy: 0,
        replace: 0,
        forget: 0,
        none: 0,
        blocked: 0,
    };
    for (const change of changes)
        counts[change.action] += 1;
    return counts;
}
/** True for a change that neither writes nor changes the lock. */
export function isIdle({ action, adopt, movedFrom }) {
    return action === 'none' && adopt === undefined && !movedFrom;
}
/** True when applying would neither write nor change the lock. */
export function isEmpty(changeSet) {
    return changeSet.changes.every(isIdle);
}
