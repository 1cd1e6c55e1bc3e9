/** Refusals of who asks, or of where: of credentials, rights, credit, a thing in the path, a method. */
const OF_THE_CALLER = new Set([401, 402, 403, 404, 405]);
/**
 * How an answer counts.
 *
 * @param shared members of the request that are equal for all rows of a batch; a refusal that names one holds for all.
 *   One that names others is about the row, and one that names none is about it unless its status says whom it is about
 */
export function failureOf({ outcome, status, fields = [] }, shared = []) {
    if (outcome === 'not_sent')
        return 'unreachable';
    if (outcome !== 'rejected' || shared.length === 0)
        return 'failed';
    if (fields.length > 0)
        return fields.some((field) => shared.includes(field)) ? 'barred' : 'failed';
    return status !== undefined && OF_THE_CALLER.has(status) ? 'barred' : 'failed';
}
/** Why a step ended without effect, in words. */
export function failureText({ message, outcome }, failure) {
    const reason = message ?? outcome;
    return failure === 'barred'
        ? `${reason} (this holds for the whole batch: no further row of it was sent)`
        : reason;
}
