import { join } from 'node:path';
import { WindlassError } from '../model/error.js';
const DEFAULT_STEM = 'windlass';
/**
 * The paths for a place. Names derive from the plan's file name, so that two plans of one folder share nothing;
 * the plan `windlass.yaml` has the short ones.
 *
 * @throws STATE_UNSAFE for an environment that would leave the folder
 */
export function statePaths(place) {
    const { root, environment } = place;
    const stem = place.planFile.replace(/\.ya?ml$/i, '');
    if (![stem, environment].every((name) => /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(name))) {
        throw new WindlassError('STATE_UNSAFE', `No file can be named after ${stem} and ${environment}.`);
    }
    const folder = join(root, '.windlass', 'env', stem === DEFAULT_STEM ? environment : `${environment}@${stem}`);
    return {
        root,
        folder,
        journal: join(folder, 'journal.jsonl'),
        tokens: join(folder, 'tokens'),
        runLock: join(folder, 'run.lock'),
        spool: join(folder, 'spool'),
        lockfile: join(root, `${stem}.${environment}.lock.json`),
        sidecars: join(root, `${stem}.${environment}.lock`),
    };
}
/** File name of a batch's sidecar; different for every batch and safe for every name. */
export function sidecarName(batch) {
    return `${encodeURIComponent(batch).replace(/^\./, '%2E')}.ndjson`;
}
