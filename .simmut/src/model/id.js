/** Every resource kind, in the order in which reports group them. */
export const KIND_NAMES = [
    'wallet',
    'project',
    'version',
    'deployment',
    'contract',
    'audit-contract',
    'category',
    'tag',
    'audit-record',
    'certificate-contract',
    'certificate',
    'transfer',
];
/** The id of `kind` and its name within the kind. */
export function resourceId(kind, name) {
    return `${kind}.${name}`;
}
/** Reads an id as people type it; undefined when the kind is unknown or the name empty. */
export function parseResourceId(text) {
    const dot = text.indexOf('.');
    const kind = KIND_NAMES.find((name) => name === text.slice(0, dot));
    const name = text.slice(dot + 1);
    return dot < 0 || kind === undefined || name === '' ? undefined : { kind, name };
}
/** The kind of an id. */
export function kindOf(id) {
    return id.slice(0, id.indexOf('.'));
}
/** The part after the kind. */
export function nameOf(id) {
    return id.slice(id.indexOf('.') + 1);
}
/** `certificate.BATCH[KEY]`. The key may hold any character; the batch holds no bracket. */
export function certificateId(batch, key) {
    return `certificate.${batch}[${key}]`;
}
/** Batch and row key of a certificate id; undefined for every other id. */
export function parseCertificateId(id) {
    const match = /^certificate\.([^[]+)\[([^]*)\]$/.exec(id);
    return match?.[1] === undefined || match[2] === undefined ? undefined : { batch: match[1], key: match[2] };
}
/** The step of an id's n-th attempt. */
export function stepId(id, attempt) {
    return `${id}#${attempt}`;
}
/** Resource and attempt of a step id; undefined when it is not one. */
export function parseStepId(text) {
    const match = /^([^]+)#([1-9][0-9]*)$/.exec(text);
    if (match?.[1] === undefined || match[2] === undefined)
        return undefined;
    return parseResourceId(match[1]) && { id: match[1], attempt: Number(match[2]) };
}
