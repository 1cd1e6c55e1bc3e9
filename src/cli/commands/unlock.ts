import { findHolder } from '../../disk/run-holder.js';
import { describeHolder } from '../../disk/run-lock.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { escapeTerminal } from '../../report/escape.js';
import { confirmAction } from '../confirm.js';
import { findPlan } from '../plan-file.js';
import { findPlace } from '../session.js';
import { tellDone, type AnswerFlags } from '../output/answer.js';
import type { Terminal } from '../terminal.js';

/** Flags of `unlock`. */
export interface UnlockFlags extends AnswerFlags {
  readonly env?: string;
  readonly yes?: boolean;
}

/**
 * Frees the lock of a run that is dead. A run that lives on this machine keeps it; one of another machine gives it
 * up only on a person's word. With `state: git` the run is fenced, too: it can record, and so send, nothing more.
 *
 * @throws RUN_LOCKED, CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function unlock(
  terminal: Terminal,
  named: string | undefined,
  flags: UnlockFlags,
): Promise<ExitCode> {
  const place = await findPlace(await findPlan(named, terminal), flags.env);
  const held = await findHolder(place);
  if (held === undefined) {
    tellDone(terminal, flags, { freed: null }, `No run holds the lock of ${place.environment}.`);
    return EXIT.done;
  }
  const { holder } = held;
  const who = escapeTerminal(describeHolder(holder));
  await confirmAction(`${who}. Free it? Be sure that this run is dead.`, flags, terminal);
  await held.free();
  const run = escapeTerminal(holder.run);
  tellDone(
    terminal,
    flags,
    { freed: { run: holder.run, host: holder.host, pid: holder.pid } },
    `The lock is free. What ${run} left open is settled by the next apply.`,
  );
  return EXIT.done;
}
