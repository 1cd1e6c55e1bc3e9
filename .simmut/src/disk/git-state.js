import { join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { foldJournal } from '../state/codec.js';
import { JournalReader } from '../state/journal-reader.js';
import { CHAIN_START } from '../state/record.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK } from './disk.js';
import { readChain } from './git-chain.js';
import { openGitHome } from './git-home.js';
import { fetchCommit, readRef } from './git-ref.js';
import { knownState } from './known-state.js';
import { readLockfile } from './lockfile-files.js';
import { readPrivateFile } from './private-file.js';
import { statePaths } from './state-paths.js';
/**
 * Reads journal and lock from Git. Takes no lock; writes only its copy beside the plan.
 *
 * @throws JOURNAL_REWRITTEN when the ref no longer holds what was seen there; JOURNAL_DIVERGED; JOURNAL_CORRUPT,
 * JOURNAL_NEWER; LOCK_UNREADABLE; STATE_*
 */
export async function openGitState(place, git, disk = REAL_DISK) {
    const home = await openGitHome(place, git);
    const paths = statePaths(place);
    const seen = await readSeen(paths, disk);
    const tip = git.offline === true ? seen : await readRef(home);
    if (tip === undefined && seen !== undefined)
        throw rewritten(home, 'it is gone');
    if (tip !== undefined && git.offline !== true)
        await fetchCommit(home, tip);
    const chain = await readChain(home, tip);
    if (seen !== undefined && !chain.commits.includes(seen))
        throw rewritten(home, `it lacks commit ${seen}`);
    const ahead = await localAhead(paths, chain, disk);
    const { bytes, state, hash } = withAhead(chain, ahead);
    const again = async (sink) => new JournalReader(sink).read(bytes);
    const lockfile = await readLockfile(paths, disk);
    const folder = await knownState(paths, { state, again }, lockfile);
    checkNotCut(home, chain, folder, lockfile);
    if (tip !== undefined && tip !== seen)
        await writeSeen(paths, tip, disk);
    return { folder, home, chain, hash, ahead };
}
/** The whole journal: what Git holds, and what it lacks. */
function withAhead(chain, ahead) {
    if (ahead.length === 0)
        return chain;
    const bytes = Buffer.concat([chain.bytes, ahead]);
    return { bytes, ...foldJournal(bytes) };
}
/** Remembers the newest commit that was read or written, so that a ref which goes back is noticed. @throws STATE_WRITE */
export async function writeSeen(paths, tip, disk = REAL_DISK) {
    await writeAtomically(seenFile(paths), `${tip}\n`, 0o600, disk);
}
function seenFile({ folder }) {
    return join(folder, 'git-seen');
}
async function readSeen(paths, disk) {
    const text = Buffer.from((await readPrivateFile(seenFile(paths), disk)) ?? [])
        .toString('latin1')
        .trim();
    return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}
/**
 * A journal beside the plan is from before `state: git`. Then Git begins with its records, or goes on with those that it
 * lacks; one that tells anything else was applied to another history.
 */
async function localAhead(paths, chain, disk) {
    const bytes = await readPrivateFile(paths.journal, disk);
    if (bytes === undefined)
        return new Uint8Array();
    const local = Buffer.from(bytes).subarray(0, foldJournal(bytes).validBytes);
    const shared = Math.min(local.length, chain.bytes.length);
    if (Buffer.compare(local.subarray(0, shared), Buffer.from(chain.bytes).subarray(0, shared)) !== 0) {
        throw new WindlassError('JOURNAL_DIVERGED', `${paths.journal} is not the beginning of the journal in Git.`);
    }
    return local.subarray(shared);
}
/** A lockfile is written after the journal, so one that knows more of the lineage means that the journal was cut. */
function checkNotCut(home, { hash }, { lock }, lockfile) {
    if (hash === CHAIN_START || lock === undefined || lockfile === undefined)
        return;
    const { lineage, serial } = lockfile.head;
    if (lineage !== lock.lineage || serial <= lock.serial)
        return;
    throw rewritten(home, `the lockfile has serial ${serial}, and the journal ends at ${lock.serial}`);
}
function rewritten({ remote, ref }, why) {
    return new WindlassError('JOURNAL_REWRITTEN', `${ref} of ${remote} was rewritten: ${why}.`);
}
