import { breakRunLock, readRunLock } from '../../disk/run-lock.js';
import { statePaths } from '../../disk/state-paths.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { confirmAction } from '../confirm.js';
import { findPlan } from '../plan-file.js';
import { placeOf } from '../session.js';
import { printNote, type Terminal } from '../terminal.js';

/**
 * Frees the lock of a run that is dead. A run that lives on this machine keeps it; one of another machine gives it
 * up only on a person's word.
 *
 * @throws RUN_LOCKED, CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function unlock(
  terminal: Terminal,
  named: string | undefined,
  flags: { readonly env?: string; readonly yes?: boolean },
): Promise<ExitCode> {
  const place = placeOf(await findPlan(named, terminal.cwd), flags.env);
  const { runLock } = statePaths(place);
  const holder = await readRunLock(runLock);
  if (holder === undefined) {
    printNote(terminal, `No run holds the lock of ${place.environment}.`);
    return EXIT.done;
  }
  const who = `run ${holder.run}, process ${holder.pid} on ${holder.host || 'a machine not known'}, since ${holder.since}`;
  await confirmAction(`Free the lock of ${who}? Be sure that it is dead.`, flags, terminal);
  await breakRunLock(runLock, holder.run);
  printNote(terminal, `The lock is free. What ${holder.run} left open is settled by the next apply.`);
  return EXIT.done;
}
