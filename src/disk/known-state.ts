import { basename } from 'node:path';
import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import type { JournalEvent, Target } from '../state/event.js';
import { importedEvents } from '../state/import.js';
import type { Lock } from '../state/lock.js';
import { formatLock } from '../state/lockfile-text.js';
import { parseLock } from '../state/lockfile.js';
import { LineageState } from '../state/project.js';
import { compareTargets, describeTarget } from '../state/target.js';
import type { JournalMark, ReadJournal } from './journal-file.js';
import type { LockfileOnDisk } from './lockfile-files.js';
import type { StatePaths } from './state-paths.js';

/** What is known of a lineage, read without touching it. */
export interface StateFolder {
  readonly paths: StatePaths;
  /** Where the lock comes from; `fresh`: there is neither journal nor lockfile. */
  readonly origin: 'journal' | 'lockfile' | 'fresh';
  /** The journal beside the plan that `state` was read from; absent when it came from elsewhere. */
  readonly mark?: JournalMark;
  /** The lock with its attempts and runs. */
  readonly state: LineageState;
  /** Undefined when fresh. */
  readonly lock: Lock | undefined;
  /** What the user should know though nothing is wrong with the journal. */
  readonly notices: readonly string[];
  /**
   * Resources that the lockfile on disk holds and the journal does not, e.g. made on another machine: they exist,
   * so making them again would be a second effect.
   */
  readonly strangers: readonly ResourceId[];
  /**
   * @param proven lineage that the key in use was proven for
   * @throws LOCK_OTHER_TARGET naming both when the lock belongs to another service or organisation; LOCK_KEY_UNPROVEN
   */
  readonly checkTarget: (target: Target, proven?: string) => void;
}

/** A journal as it was read: what it amounts to, and its events again. */
export type KnownJournal = Pick<ReadJournal, 'state' | 'again'>;

/**
 * What journal and lockfile amount to: the journal's projection, else the lockfile, else nothing.
 *
 * @throws LOCK_UNREADABLE (damaged sidecars only while there is no journal)
 */
export async function knownState(
  paths: StatePaths,
  journal: KnownJournal | undefined,
  lockfile: LockfileOnDisk | undefined,
): Promise<StateFolder> {
  if (journal?.state.lock !== undefined) return fromJournal(paths, journal, lockfile);
  if (lockfile === undefined) return folderOf(paths, 'fresh', new LineageState(), {});
  const state = new LineageState(eventsOf(lockfile, new Date().toISOString()));
  return folderOf(paths, 'lockfile', state, { notices: [importNotice(paths, state.lock)] });
}

/** The events with which a journal goes on from a lockfile. @throws LOCK_UNREADABLE */
export function eventsOf(lockfile: LockfileOnDisk, at: string): readonly JournalEvent[] {
  const lock = parseLock(lockfile.main, lockfile.batches, lockfile.names);
  return importedEvents(lock, digestOfBytes(formatLock(lock).main), at);
}

/**
 * @param proven lineage that the key in use was proven for
 * @throws LOCK_OTHER_TARGET naming both when a lock belongs to another service or organisation; LOCK_KEY_UNPROVEN
 */
function checkLockTarget(lock: Lock | undefined, target: Target, proven: string | undefined): void {
  if (lock === undefined) return;
  const how = compareTargets(lock.target, target);
  if (how === 'same' || (how === 'key' && proven === lock.lineage)) return;
  throw new WindlassError(
    how === 'key' ? 'LOCK_KEY_UNPROVEN' : 'LOCK_OTHER_TARGET',
    `The lock belongs to ${describeTarget(lock.target)}; this environment is ${describeTarget(target)}.`,
  );
}

function folderOf(
  paths: StatePaths,
  origin: StateFolder['origin'],
  state: LineageState,
  found: { readonly notices?: readonly string[]; readonly strangers?: readonly ResourceId[] },
): StateFolder {
  const { lock } = state;
  const { notices = [], strangers = [] } = found;
  return {
    paths,
    origin,
    state,
    lock,
    notices,
    strangers,
    checkTarget: (target, proven) => checkLockTarget(lock, target, proven),
  };
}

async function fromJournal(
  paths: StatePaths,
  journal: KnownJournal,
  lockfile: LockfileOnDisk | undefined,
): Promise<StateFolder> {
  const { state } = journal;
  if (lockfile === undefined || (await isOwn(lockfile, journal)))
    return folderOf(paths, 'journal', state, {});
  const strangers = resourcesOf(lockfile).filter((id) => state.lock?.entries.has(id) !== true);
  const notice = `${placeOfEdit(lockfile, state.lock)} was edited, merged or written elsewhere: the journal says otherwise, and counts. \`windlass lock rebuild\` writes the file from the journal, as the end of the next apply does.`;
  return folderOf(paths, 'journal', state, { notices: [notice], strangers });
}

/** The file, and the first line of it that differs from what the journal amounts to; a sidecar where that is what differs. */
function placeOfEdit({ main, batches, names }: LockfileOnDisk, lock: Lock | undefined): string {
  if (lock === undefined) return names.main;
  const expected = formatLock(lock);
  const line = firstDifference(main, expected.main);
  if (line !== undefined) return `${names.main}:${line}`;
  for (const [batch, text] of expected.batches) {
    const rowLine = firstDifference(batches.get(batch) ?? '', text);
    if (rowLine !== undefined) return `${names.batch(batch)}:${rowLine}`;
  }
  return names.main;
}

/** The first line in which two texts differ, from 1. */
function firstDifference(text: string, expected: string): number | undefined {
  const [ours, theirs] = [text.replaceAll('\r\n', '\n').split('\n'), expected.split('\n')];
  const at = theirs.findIndex((line, index) => line !== ours[index]);
  if (at >= 0) return at + 1;
  return ours.length > theirs.length ? theirs.length : undefined;
}

/** True when the lockfile is what the journal amounts to, or did at an earlier event (a crash came before the rewrite). */
async function isOwn(lockfile: LockfileOnDisk, journal: KnownJournal): Promise<boolean> {
  const { serial, lineage } = lockfile.head;
  const { lock } = journal.state;
  if (lock === undefined || lineage !== lock.lineage) return false;
  if (serial >= lock.serial) return isText(lockfile, lock) && hasItsSidecars(lockfile);
  return isText(lockfile, await lockAt(journal, serial));
}

/** The lock as it was while its serial was the given one, or below when it skipped that. */
async function lockAt(journal: KnownJournal, serial: number): Promise<Lock | undefined> {
  const whole = new LineageState();
  let events = 0;
  let count = 0;
  const note = (): void => {
    events += 1;
    if ((whole.lock?.serial ?? 0) <= serial) count = events;
  };
  await journal.again({
    applyText: (bytes, start, end) => {
      const done = whole.applyText(bytes, start, end);
      if (done === 'applied') note();
      return done;
    },
    apply: (event) => {
      whole.apply(event);
      note();
    },
    learn: (event, json) => whole.learn(event, json),
  });
  const then = new LineageState();
  let taken = 0;
  await journal.again({
    applyText: (bytes, start, end) => {
      taken += 1;
      return taken > count ? 'applied' : then.applyText(bytes, start, end);
    },
    apply: (event) => then.apply(event),
    learn: (event, json) => then.learn(event, json),
  });
  return then.lock;
}

function isText(lockfile: LockfileOnDisk, lock: Lock | undefined): boolean {
  if (lock === undefined) return false;
  const main = lockfile.main.replaceAll('\r\n', '\n');
  if (formatLock(lock).main === main) return true;
  // Accepted keys change no resource, so that a crash may leave a lockfile without the last of them.
  const { target } = lockfile.head;
  return compareTargets(lock.target, target) === 'same' && formatLock({ ...lock, target }).main === main;
}

function hasItsSidecars(lockfile: LockfileOnDisk): boolean {
  if (lockfile.head.batches.size === 0) return true;
  try {
    parseLock(lockfile.main, lockfile.batches);
    return true;
  } catch {
    return false;
  }
}

/** The resources that a lockfile holds; of batches whose sidecar is damaged, none. */
function resourcesOf(lockfile: LockfileOnDisk): readonly ResourceId[] {
  const { main, batches, head } = lockfile;
  return [...(hasItsSidecars(lockfile) ? parseLock(main, batches) : head).entries.keys()];
}

function importNotice(paths: StatePaths, lock: Lock | undefined): string {
  return `There is no journal here, so one begins from ${basename(paths.lockfile)}: its ${lock?.entries.size ?? 0} resources count as settled; what it lacks is looked for before it is made.`;
}
