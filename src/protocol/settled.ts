/**
 * Header of a read from the embedded platform: it is answered when every transaction of the organisation that was recorded
 * before has its outcome, or with 503. What such a read does not show did not happen, however slow the chain is.
 *
 * Its value is new with each request, and the answer bears it: so no cache and no gateway on the way can have answered in the
 * platform's place, and headers of ours get through. Reads of the chain do without.
 */
export const SETTLED = 'windlass-settled';
