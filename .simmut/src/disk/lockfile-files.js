import { basename, join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { formatLock, parseLockfileHead } from '../state/lockfile.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK } from './disk.js';
import { fileFailure, readPublicFile, syncFolder, systemCode } from './private-file.js';
import { sidecarName } from './state-paths.js';
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
/**
 * The lockfile and its sidecars, or undefined when there is none. Writes nothing.
 *
 * @throws LOCK_UNREADABLE when the main file is; STATE_UNSAFE for links; STATE_WRITE
 */
export async function readLockfile(paths, disk = REAL_DISK) {
    const main = await readText(paths.lockfile, disk);
    if (main === undefined)
        return undefined;
    const head = parseLockfileHead(main);
    const batches = new Map();
    for (const batch of head.batches.keys()) {
        const text = await readText(join(paths.sidecars, sidecarName(batch)), disk);
        if (text !== undefined)
            batches.set(batch, text);
    }
    return { main, batches, head };
}
/**
 * Puts a lock in place: sidecars first, the main file last, each whole or not at all; then sidecars of batches that
 * are gone are removed. Files that hold the right text already are left alone.
 *
 * @throws STATE_UNSAFE for links in their places; STATE_WRITE
 */
export async function writeLockfile(paths, lock, disk = REAL_DISK) {
    const { main, batches } = formatLock(lock);
    const sidecars = new Map([...batches].map(([batch, text]) => [sidecarName(batch), text]));
    if (sidecars.size > 0)
        await ensureSidecarFolder(paths.sidecars, disk);
    for (const [name, text] of sidecars)
        await writeChanged(join(paths.sidecars, name), text, disk);
    await writeChanged(paths.lockfile, main, disk);
    await removeLeftovers(paths, new Set(sidecars.keys()), disk);
}
async function writeChanged(path, text, disk) {
    if ((await readText(path, disk)) === text)
        return;
    await writeAtomically(path, text, FILE_MODE, disk);
}
async function readText(path, disk) {
    const bytes = await readPublicFile(path, disk);
    return bytes && Buffer.from(bytes).toString('utf8');
}
async function ensureSidecarFolder(path, disk) {
    try {
        await disk.mkdir(path, { recursive: true, mode: FOLDER_MODE });
        if ((await disk.lstat(path)).isDirectory())
            return;
    }
    catch (thrown) {
        throw fileFailure(path, thrown);
    }
    throw new WindlassError('STATE_UNSAFE', `${path} is a link, not a folder.`);
}
/** Sidecars of batches that are gone, and temporary files that a crash left behind. */
async function removeLeftovers(paths, kept, disk) {
    const isStale = (name) => name.endsWith('.ndjson') && !kept.has(name);
    const isTemporary = (name) => /^\..*\.ndjson\.[^.]+\.tmp$/.test(name);
    await removeIn(paths.sidecars, (name) => isStale(name) || isTemporary(name), disk);
    const own = `.${basename(paths.lockfile)}.`;
    await removeIn(paths.root, (name) => name.startsWith(own) && name.endsWith('.tmp'), disk);
}
async function removeIn(folder, chosen, disk) {
    try {
        if (!(await disk.lstat(folder)).isDirectory())
            return;
        const names = (await disk.readdir(folder)).filter(chosen);
        for (const name of names)
            await disk.unlink(join(folder, name));
        if (names.length > 0)
            await syncFolder(folder, disk);
    }
    catch (thrown) {
        if (systemCode(thrown) !== 'ENOENT')
            throw fileFailure(folder, thrown);
    }
}
