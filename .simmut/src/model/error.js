import { ERROR_CODES } from './error-codes.js';
/** A run-time failure with a code of the table. The message is one sentence that holds no secret. */
export class WindlassError extends Error {
    code;
    /** What the person should do next, one sentence; the table's advice when not given. */
    advice;
    constructor(code, message, options = {}) {
        super(message, options.cause === undefined ? undefined : { cause: options.cause });
        this.name = 'WindlassError';
        this.code = code;
        this.advice = options.advice ?? ERROR_CODES[code].advice;
    }
}
/** Fails as a bug of ours (exit 1) when a thing that cannot happen happened. */
export function invariant(condition, message) {
    if (!condition)
        throw new WindlassError('INTERNAL', message);
}
/** The text of anything thrown. */
export function messageOf(thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
}
