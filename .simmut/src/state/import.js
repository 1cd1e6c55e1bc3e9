import { EVENT_VERSION } from './event.js';
/**
 * The events with which a journal begins where a lockfile ends: their projection is the same lock, and the names
 * of its lineage and of the attempts that made it stay, so that what was marked with them is found again.
 *
 * @param imported digest of the lockfile
 * @param at when, ISO 8601 UTC
 */
export function importedEvents(lock, imported, at) {
    const { lineage, serial, target } = lock;
    return [
        { type: 'lineage-started', at, version: EVENT_VERSION, lineage, target, imported, serial },
        ...[...lock.entries.values()].map(({ id, outputs, inputs, grade, step, at }) => ({
            type: 'resource-adopted',
            at,
            id,
            outputs,
            inputs,
            grade,
            imported: true,
            ...(step === undefined ? {} : { step }),
        })),
    ];
}
