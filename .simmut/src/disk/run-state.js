import { randomUUID } from 'node:crypto';
import { encodeEvents } from '../state/codec.js';
import { CHAIN_START } from '../state/record.js';
import { EVENT_VERSION } from '../state/event.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK } from './disk.js';
import { THIS_MACHINE } from './machine.js';
import { openJournal } from './journal-file.js';
import { readLockfile, writeLockfile } from './lockfile-files.js';
import { acquireRunLock } from './run-lock.js';
import { eventsOf } from './known-state.js';
import { openState } from './state-folder.js';
import { statePaths } from './state-paths.js';
/**
 * Opens the state beside a plan for a run: takes the run lock, cuts a torn end, and begins the lineage when there
 * is no journal yet, from the lockfile if there is one. Nothing is written when the target is another one.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, JOURNAL_CORRUPT, JOURNAL_NEWER, JOURNAL_WRITE, LOCK_UNREADABLE,
 * STATE_UNSAFE, STATE_WRITE
 */
export async function openRun(place, session, disk = REAL_DISK) {
    const since = new Date(session.nowMs).toISOString();
    const { run, machine = THIS_MACHINE } = session;
    const lock = await acquireRunLock(statePaths(place).runLock, { run, since }, machine, disk);
    try {
        if (place.git === undefined)
            return await openLocked(place, session, { lock, disk });
        const { openGitRun } = await import('./git-run.js');
        return await openGitRun(place, place.git, { session, folderLock: lock, disk });
    }
    catch (thrown) {
        await lock.release();
        throw thrown;
    }
}
async function openLocked(place, session, { lock, disk }) {
    const found = await openState(place, disk);
    found.checkTarget(session.target);
    const { paths } = found;
    const opened = await beginJournal(found, session, disk);
    const state = opened.state ?? found.state;
    let closing;
    return {
        ...found,
        state,
        get lock() {
            return state.lock;
        },
        journal: opened.journal,
        cutBytes: opened.cutBytes,
        ...(lock.tookOver === undefined ? {} : { tookOver: lock.tookOver }),
        writeLockfile: async (written) => {
            const sound = await opened.soundState();
            await writeLockfile(paths, sound?.lock ?? written, disk);
        },
        close: () => (closing ??= closeBoth(opened, lock)),
    };
}
async function closeBoth(journal, lock) {
    try {
        await journal.close();
    }
    finally {
        await lock.release();
    }
}
/**
 * The journal with a lineage begun in it. A whole import appears at once: were it cut short, the resources missing
 * from it would be made a second time.
 */
async function beginJournal(found, session, disk) {
    const { paths, origin } = found;
    if (origin === 'journal')
        return openJournal(paths.journal, disk, found.mark);
    const events = await beginning(paths, session, disk);
    await writeAtomically(paths.journal, encodeEvents(CHAIN_START, events).text, 0o600, disk);
    return openJournal(paths.journal, disk);
}
/** The events with which the journal of a lineage begins. @throws LOCK_UNREADABLE, STATE_* */
export async function beginning(paths, session, disk) {
    const at = new Date(session.nowMs).toISOString();
    const lockfile = await readLockfile(paths, disk);
    return lockfile === undefined ? [lineageStarted(session, at)] : eventsOf(lockfile, at);
}
function lineageStarted({ target, lineage = randomUUID() }, at) {
    return { type: 'lineage-started', at, version: EVENT_VERSION, lineage, target };
}
