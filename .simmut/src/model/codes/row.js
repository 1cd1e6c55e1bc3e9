/** Exit codes of the command line (design §3). */
export const EXIT = {
    done: 0,
    unexpected: 1,
    changes: 2,
    invalid: 3,
    authentication: 4,
    refused: 5,
    drift: 6,
    incomplete: 7,
    undecided: 8,
    interrupted: 130,
};
/** A row for what the person at the command line corrects. */
export function user(exit, meaning, advice, page = {}) {
    return { blame: 'user', exit, meaning, advice, ...page };
}
/** A row for what the service, or the way to it, did. */
export function service(exit, meaning, advice, page = {}) {
    return { blame: 'service', exit, meaning, advice, ...page };
}
/** A row for what Windlass itself did wrong. */
export function windlass(exit, meaning, advice, page = {}) {
    return { blame: 'windlass', exit, meaning, advice, ...page };
}
