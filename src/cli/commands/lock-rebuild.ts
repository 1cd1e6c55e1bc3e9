import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeLockfile } from '../../disk/lockfile-files.js';
import { acquireRunLock } from '../../disk/run-lock.js';
import { openJournalState } from '../../disk/state-folder.js';
import { statePaths } from '../../disk/state-paths.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { parseCertificateId, parseResourceId } from '../../model/id.js';
import { counted } from '../../report/palette.js';
import type { Lock } from '../../state/lock.js';
import { SYSTEM_CLOCK } from '../clock.js';
import { tellDone, type AnswerFlags } from '../output/answer.js';
import { findPlan } from '../plan-file.js';
import { findPlace } from '../session.js';
import type { Terminal } from '../terminal.js';

/** Flags of `lock rebuild`. */
export interface LockRebuildFlags extends AnswerFlags {
  readonly env?: string;
  /** What only the damaged lockfile names may go. */
  readonly forget?: boolean;
}

/** Resources that are named in an error; the rest is counted. */
const MOST_NAMED = 5;

/**
 * Writes the lockfile anew from the journal, whatever state it is in. The one that was there is kept beside the journal. No
 * platform is asked.
 *
 * @throws LOCK_NO_JOURNAL, LOCK_HOLDS_MORE, RUN_LOCKED, JOURNAL_*, STATE_*
 */
export async function rebuildLock(
  terminal: Terminal,
  named: string | undefined,
  flags: LockRebuildFlags,
): Promise<ExitCode> {
  const place = await findPlace(await findPlan(named, terminal), flags.env);
  const paths = statePaths(place);
  const since = new Date(SYSTEM_CLOCK.nowMs()).toISOString();
  const held = await acquireRunLock(paths.runLock, { run: 'lock rebuild', since });
  try {
    const { lock } = await openJournalState(place);
    const shown = relative(paths.root, paths.lockfile);
    if (lock === undefined)
      throw new WindlassError('LOCK_NO_JOURNAL', `There is no journal of ${place.environment} here.`, {
        advice: `Restore ${shown} from Git: \`git checkout -- ${shown}\`, with the folder of its batches.`,
      });
    const before = await readFile(paths.lockfile, 'utf8').catch(() => undefined);
    if (before !== undefined && flags.forget !== true) refuseLoss(before, lock, shown);
    const kept = before === undefined ? null : join(paths.folder, 'lockfile-before-rebuild.json');
    if (kept !== null) {
      await mkdir(paths.folder, { recursive: true, mode: 0o700 });
      await copyFile(paths.lockfile, kept);
    }
    await writeLockfile(paths, lock);
    const resources = lock.entries.size;
    const document = { lockfile: paths.lockfile, resources, serial: lock.serial, before: kept };
    tellDone(terminal, flags, document, [
      `${shown} holds what the journal says: ${counted(resources, 'resource')}, serial ${lock.serial}.`,
      ...(kept === null ? [] : [`What was there before is in ${relative(paths.root, kept)}.`]),
    ]);
    return EXIT.done;
  } finally {
    await held.release();
  }
}

/** However damaged a text is, the ids in it can be read. @throws LOCK_HOLDS_MORE */
function refuseLoss(text: string, lock: Lock, shown: string): void {
  const named = new Set(
    [...text.matchAll(/^ {4}("(?:[^"\\]|\\.)*"): /gm)].map(([, id = '""']) => textIn(id)),
  );
  const lost = [...named].filter(
    (id) =>
      parseResourceId(id) !== undefined &&
      parseCertificateId(id as `certificate.${string}`) === undefined &&
      !lock.entries.has(id as `tag.${string}`),
  );
  if (lost.length === 0) return;
  const rest = lost.length > MOST_NAMED ? ` and ${lost.length - MOST_NAMED} more` : '';
  throw new WindlassError(
    'LOCK_HOLDS_MORE',
    `${shown} names what the journal does not know: ${lost.slice(0, MOST_NAMED).join(', ')}${rest}.`,
  );
}

function textIn(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return '';
  }
}
