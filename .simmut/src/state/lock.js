import { kindOf } from '../model/id.js';
/** A copy of an entry under another id. */
export function renamedEntry(entry, id) {
    const { inputs, digest, outputs, grade, step, at } = entry;
    return { id, kind: kindOf(id), inputs, digest, outputs, grade, at, ...(step !== undefined && { step }) };
}
