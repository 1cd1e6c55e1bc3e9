import { isJsonObject, member, textMember } from '../model/json.js';
/**
 * Takes either envelope off a response body: `{message, result}` or `{status: 200, result}`. A `status` other
 * than 200 is a failure (interface, Errors). `status: "success"` counts as 200: `owner-transfer` answers so.
 */
export function unwrap(body) {
    if (!isJsonObject(body))
        return { type: 'unrecognised' };
    const status = body['status'];
    if (status !== undefined && status !== 200 && status !== 'success') {
        return { type: 'failure', message: failureText(body) };
    }
    const result = body['result'];
    if (result === undefined)
        return { type: 'unrecognised' };
    const pagination = member(body, 'pagination');
    return isJsonObject(pagination) ? { type: 'result', result, pagination } : { type: 'result', result };
}
/** The text of a failure body: `message`, else `result.message`, else a constant. Untrusted: escape before printing. */
export function failureText(body) {
    return (textMember(body, 'message') ??
        textMember(member(body, 'result'), 'message') ??
        'the service gave no reason');
}
/** The members of a request that a failure body names: the keys of `errors` (validation), at top level or in `result`. */
export function faultyFields(body) {
    const errors = member(body, 'errors') ?? member(member(body, 'result'), 'errors');
    return isJsonObject(errors) ? Object.keys(errors) : [];
}
/** The fields of a callback, which may stand at top level or under `result` (interface, Events). */
export function callbackFields(body) {
    const inner = member(body, 'result');
    if (isJsonObject(inner))
        return inner;
    return isJsonObject(body) ? body : {};
}
/** Reads the status word of a callback, whatever its case: `Completed`, `success` / `Error`, `failed`, `fail`. */
export function callbackClaim(body) {
    const status = callbackFields(body)['status'];
    const word = typeof status === 'string' ? status.toLowerCase() : '';
    if (word === 'completed' || word === 'success')
        return 'success';
    if (word === 'error' || word === 'failed' || word === 'fail')
        return 'failed';
    return 'unparsed';
}
