import { join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { foldJournal } from '../state/codec.js';
import { JournalReader, type EventSink } from '../state/journal-reader.js';
import { CHAIN_START } from '../state/record.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readChain, type GitChain } from './git-chain.js';
import { openGitHome, type GitHome } from './git-home.js';
import { fetchCommit, readRef, type CommitId } from './git-ref.js';
import { knownState, type StateFolder } from './known-state.js';
import { readLockfile, type LockfileOnDisk } from './lockfile-files.js';
import { readPrivateFile } from './private-file.js';
import { statePaths, type GitPlace, type StatePaths, type StatePlace } from './state-paths.js';

/** The state of a lineage as Git holds it. */
export interface GitLineage {
  readonly folder: StateFolder;
  readonly home: GitHome;
  readonly chain: GitChain;
  /** End of the hash chain of the whole journal, with what is {@link ahead}. */
  readonly hash: string;
  /** Whole records of a journal beside the plan that Git lacks: from before `state: git`. They belong at its end. */
  readonly ahead: Uint8Array;
}

/**
 * Reads journal and lock from Git. Takes no lock; writes only its copy beside the plan.
 *
 * @param read the lockfile beside the plan
 * @throws JOURNAL_REWRITTEN when the ref no longer holds what was seen there; JOURNAL_DIVERGED; JOURNAL_CORRUPT,
 * JOURNAL_NEWER; LOCK_UNREADABLE; STATE_*
 */
export async function openGitState(
  place: StatePlace,
  git: GitPlace,
  disk: Disk = REAL_DISK,
  read: typeof readLockfile = readLockfile,
): Promise<GitLineage> {
  const home = await openGitHome(place, git);
  const paths = statePaths(place);
  const seen = await readSeen(paths, disk);
  const tip = git.offline === true ? seen : await readRef(home);
  if (tip === undefined && seen !== undefined) throw rewritten(home, 'it is gone');
  if (tip !== undefined && git.offline !== true) await fetchCommit(home, tip);
  const chain = await readChain(home, tip);
  if (seen !== undefined && !chain.commits.includes(seen)) throw rewritten(home, `it lacks commit ${seen}`);
  const ahead = await localAhead(paths, chain, disk);
  const { bytes, state, hash } = withAhead(chain, ahead);
  const again = async (sink: EventSink): Promise<void> => new JournalReader(sink).read(bytes);
  const lockfile = await read(paths, disk);
  const folder = await knownState(paths, { state, again }, lockfile);
  checkNotCut(home, chain, folder, lockfile);
  if (tip !== undefined && tip !== seen) await writeSeen(paths, tip, disk);
  return { folder, home, chain, hash, ahead };
}

/** The whole journal: what Git holds, and what it lacks. */
function withAhead(chain: GitChain, ahead: Uint8Array): Pick<GitChain, 'bytes' | 'state' | 'hash'> {
  if (ahead.length === 0) return chain;
  const bytes = Buffer.concat([chain.bytes, ahead]);
  return { bytes, ...foldJournal(bytes) };
}

/** Remembers the newest commit that was read or written, so that a ref which goes back is noticed. @throws STATE_WRITE */
export async function writeSeen(paths: StatePaths, tip: CommitId, disk: Disk = REAL_DISK): Promise<void> {
  await writeAtomically(seenFile(paths), `${tip}\n`, 0o600, disk);
}

function seenFile({ folder }: StatePaths): string {
  return join(folder, 'git-seen');
}

async function readSeen(paths: StatePaths, disk: Disk): Promise<CommitId | undefined> {
  const text = Buffer.from((await readPrivateFile(seenFile(paths), disk)) ?? [])
    .toString('latin1')
    .trim();
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

/**
 * A journal beside the plan is from before `state: git`. Then Git begins with its records, or goes on with those that it
 * lacks; one that tells anything else was applied to another history.
 */
async function localAhead(paths: StatePaths, chain: GitChain, disk: Disk): Promise<Uint8Array> {
  const bytes = await readPrivateFile(paths.journal, disk);
  if (bytes === undefined) return new Uint8Array();
  const local = Buffer.from(bytes).subarray(0, foldJournal(bytes).validBytes);
  const shared = Math.min(local.length, chain.bytes.length);
  if (Buffer.compare(local.subarray(0, shared), Buffer.from(chain.bytes).subarray(0, shared)) !== 0) {
    throw new WindlassError(
      'JOURNAL_DIVERGED',
      `${paths.journal} is not the beginning of the journal in Git.`,
    );
  }
  return local.subarray(shared);
}

/** A lockfile is written after the journal, so one that knows more of the lineage means that the journal was cut. */
function checkNotCut(
  home: GitHome,
  { hash }: GitChain,
  { lock }: StateFolder,
  lockfile: LockfileOnDisk | undefined,
): void {
  if (hash === CHAIN_START || lock === undefined || lockfile === undefined) return;
  const { lineage, serial } = lockfile.head;
  if (lineage !== lock.lineage || serial <= lock.serial) return;
  throw rewritten(home, `the lockfile has serial ${serial}, and the journal ends at ${lock.serial}`);
}

function rewritten({ remote, ref }: GitHome, why: string): WindlassError {
  return new WindlassError('JOURNAL_REWRITTEN', `${ref} of ${remote} was rewritten: ${why}.`);
}
