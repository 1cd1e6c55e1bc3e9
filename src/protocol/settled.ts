/**
 * Header of a read from the embedded platform: it is answered when every transaction of the organisation that was recorded
 * before has its outcome, or with 503. What such a read does not show did not happen, however slow the chain is.
 */
export const SETTLED = 'windlass-settled';
