/**
 * Header of a write to the embedded platform: milliseconds since 1970 after which it must not be begun any more. Whoever
 * waited for a lost answer until then, and sees nothing, may send anew, however long the network kept the request.
 */
export const EXECUTE_BEFORE = 'windlass-execute-before';
