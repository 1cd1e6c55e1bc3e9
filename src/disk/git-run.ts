import { basename, join } from 'node:path';
import { WindlassError } from '../model/error.js';
import { encodeEvents } from '../state/codec.js';
import type { Lock } from '../state/lock.js';
import { formatLock } from '../state/lockfile-text.js';
import { LineageState } from '../state/project.js';
import type { Disk } from './disk.js';
import { HOLDER, RECORDS } from './git-chain.js';
import { GitJournal } from './git-journal.js';
import { moveRef, writeCommit, type CommitId } from './git-ref.js';
import { openGitState, writeSeen, type GitLineage } from './git-state.js';
import { writeLockfile } from './lockfile-files.js';
import { lifeOf, ownIdentity, THIS_MACHINE, type Machine } from './machine.js';
import { fileFailure, systemCode } from './private-file.js';
import { formatHolder, lockedBy, type RunHolder, type RunLock } from './run-lock.js';
import { beginning, type RunSession, type RunState } from './run-state.js';
import { sidecarName, type GitPlace, type StatePaths, type StatePlace } from './state-paths.js';

/** In a commit: the folder of the lockfile that the last run wrote. */
const LOCKFILES = 'lock';

/** Others that take and free the lineage in between; more than ever race. */
const MAX_TRIES = 50;

interface Taken {
  readonly lineage: GitLineage;
  readonly tip: CommitId;
  readonly hash: string;
  readonly state: LineageState;
  readonly tookOver?: RunHolder;
}

/** What a run in Git is opened with, beside its place. */
export interface GitRunParts {
  readonly session: RunSession;
  /** The run lock of the folder, which this run holds. */
  readonly folderLock: RunLock;
  readonly disk: Disk;
}

/**
 * Opens the state in Git for a run. One push takes the lineage and begins its journal when there is none; it names the
 * commit that everything was decided from, so of all that race exactly one succeeds, and nothing changed in between.
 *
 * @throws RUN_LOCKED naming the holder; LOCK_OTHER_TARGET before anything is written; JOURNAL_*, STATE_*
 */
export async function openGitRun(
  place: StatePlace,
  git: GitPlace,
  { session, folderLock, disk }: GitRunParts,
): Promise<RunState> {
  const taken = await take(place, git, session, disk);
  const { folder, home } = taken.lineage;
  const { paths } = folder;
  const journal = new GitJournal(home, { tip: taken.tip, hash: taken.hash, run: session.run });
  const { state } = taken;
  let written = new Map<string, string>();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await journal.release(written);
      await writeSeen(paths, journal.tip, disk);
    } finally {
      await folderLock.release();
    }
  };
  try {
    await moveAside(paths, disk);
    await writeSeen(paths, taken.tip, disk);
  } catch (thrown) {
    await journal.release(written);
    throw thrown;
  }
  const tookOver = taken.tookOver ?? folderLock.tookOver;
  return {
    ...folder,
    state,
    get lock() {
      return state.lock;
    },
    journal,
    cutBytes: 0,
    ...(tookOver && { tookOver }),
    writeLockfile: async (lock) => {
      // A lockfile that knows more than the journal would be taken for a sign that the journal was cut.
      if (journal.broken) return;
      await journal.flush();
      await writeLockfile(paths, lock, disk);
      written = lockfileTexts(paths, lock);
    },
    close: () => (closing ??= close()),
  };
}

/**
 * Frees a lineage on a person's word. The commit that frees it also fences the run: whatever that one records next is
 * refused.
 *
 * @param shown the lineage as the person saw it
 * @throws RUN_LOCKED when the holder lives on this machine, or wrote since: then it is not dead
 */
export async function freeGitLineage(
  { home, chain }: GitLineage,
  holder: RunHolder,
  machine: Machine = THIS_MACHINE,
): Promise<void> {
  if (lifeOf(holder, machine) === 'alive') throw lockedBy(holder);
  const files = new Map([
    [RECORDS, undefined],
    [HOLDER, undefined],
  ]);
  const subject = `Unlock: run ${holder.run}`;
  const commit = await writeCommit(home, { parent: chain.tip, subject, files });
  if ((await moveRef(home, chain.tip, commit)) === 'lost') throw lockedBy(holder);
}

async function take(place: StatePlace, git: GitPlace, session: RunSession, disk: Disk): Promise<Taken> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const lineage = await openGitState(place, git, disk);
    const taken = await takeFrom(lineage, session, disk);
    if (taken !== undefined) return taken;
  }
  throw new WindlassError('RUN_LOCKED', 'Other runs take and free the lineage again and again.');
}

/** Takes a lineage as it was read; undefined when it changed meanwhile. */
async function takeFrom(lineage: GitLineage, session: RunSession, disk: Disk): Promise<Taken | undefined> {
  const { folder, home, chain } = lineage;
  folder.checkTarget(session.target, session.proven);
  const { machine = THIS_MACHINE, run } = session;
  const { holder } = chain;
  if (holder !== undefined && lifeOf(holder, machine) !== 'dead') throw lockedBy(holder);
  const { records, state, hash } = await firstRecords(lineage, session, disk);
  const files = new Map<string, string | Uint8Array | undefined>([
    [HOLDER, formatHolder(holderOf(session, machine))],
    [RECORDS, records.length === 0 ? undefined : records],
  ]);
  const tip = await writeCommit(home, { parent: chain.tip, subject: `Take: run ${run}`, files });
  if ((await moveRef(home, chain.tip, tip)) === 'lost') return undefined;
  return { lineage, tip, hash, state, ...(holder && { tookOver: holder }) };
}

/** The records that the taking commit carries, and what the journal then amounts to. */
async function firstRecords(
  { folder, chain, hash, ahead }: GitLineage,
  session: RunSession,
  disk: Disk,
): Promise<{ readonly records: string | Uint8Array } & Pick<Taken, 'state' | 'hash'>> {
  if (folder.origin === 'journal') return { records: ahead, state: folder.state, hash };
  const begun = await beginning(folder.paths, session, disk);
  const added = encodeEvents(chain.hash, begun);
  return { records: added.text, state: new LineageState(begun), hash: added.hash };
}

function holderOf({ run, nowMs, url }: RunSession, machine: Machine): RunHolder {
  const since = new Date(nowMs).toISOString();
  return { run, since, ...ownIdentity(machine), ...(url !== undefined && { url }) };
}

function lockfileTexts(paths: StatePaths, lock: Lock): Map<string, string> {
  const { main, batches } = formatLock(lock);
  const sidecars = `${LOCKFILES}/${basename(paths.sidecars)}`;
  return new Map([
    [`${LOCKFILES}/${basename(paths.lockfile)}`, main],
    ...[...batches].map(([batch, text]) => [`${sidecars}/${sidecarName(batch)}`, text] as const),
  ]);
}

/** Git has all of it now; left in place it would be taken for the whole history once `state: git` is gone. */
async function moveAside(paths: StatePaths, disk: Disk): Promise<void> {
  try {
    await disk.rename(paths.journal, join(paths.folder, 'journal.before-git.jsonl'));
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw fileFailure(paths.journal, thrown);
  }
}
