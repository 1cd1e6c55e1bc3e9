/**
 * Header of a request to the embedded platform, new with each, which its answer bears, too. So no cache, no gateway and no
 * connection that gives one request the answer to another can have answered in the platform's place.
 */
export const SIGN = 'windlass-sign';
