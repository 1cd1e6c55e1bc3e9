import { createInterface } from 'node:readline/promises';
import { WindlassError } from '../model/error.js';
import { escapeTerminal } from '../report/escape.js';
import { commandLine } from '../report/shell-word.js';
import { Interrupted } from './interruption.js';
import type { Terminal } from './terminal.js';

/** What was said on the command line about confirming. */
export interface ConfirmFlags {
  readonly yes?: boolean;
  /** Name of the environment, typed out. */
  readonly confirm?: string;
}

/** What is to be confirmed. */
export interface Confirmation {
  readonly environment: string;
  readonly protected: boolean;
  /** Changes that cannot be undone. */
  readonly irreversible: number;
}

/**
 * Resolves when the change set may be applied. A protected environment asks for its name; `--yes` alone is not
 * enough there. Where nobody can be asked, nothing waits.
 *
 * @throws CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function confirmApply(
  what: Confirmation,
  flags: ConfirmFlags,
  terminal: Terminal,
): Promise<void> {
  const wanted = what.protected ? what.environment : 'yes';
  if (flags.confirm !== undefined && flags.confirm !== what.environment) {
    throw new WindlassError('CLI_DECLINED', `--confirm names ${flags.confirm}, not ${what.environment}.`);
  }
  if (what.protected ? flags.confirm === wanted : flags.yes || flags.confirm !== undefined) return;
  if (!terminal.interactive) {
    throw new WindlassError(
      'CLI_CONFIRMATION_MISSING',
      `Applying to ${what.environment} needs a confirmation, and nobody can be asked here.`,
      { advice: `Add ${what.protected ? `--confirm ${wanted}` : '--yes'} after reading the change set.` },
    );
  }
  const lasting = what.irreversible > 0 ? ` ${what.irreversible} of the changes cannot be undone.` : '';
  const question = `Apply to ${escapeTerminal(what.environment)}?${lasting} Type ${escapeTerminal(wanted)} to go on: `;
  if ((await ask(question, terminal)) !== wanted) {
    throw new WindlassError('CLI_DECLINED', 'The change set was not confirmed.');
  }
}

/**
 * Resolves when a person agrees to something that is not an apply.
 *
 * @throws CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function confirmAction(
  question: string,
  flags: Pick<ConfirmFlags, 'yes'>,
  terminal: Terminal,
): Promise<void> {
  if (flags.yes) return;
  if (!terminal.interactive) {
    const advice = 'Add --yes if that is what you want.';
    throw new WindlassError('CLI_CONFIRMATION_MISSING', `${question} Nobody can be asked here.`, { advice });
  }
  if ((await ask(`${escapeTerminal(question)} Type yes to go on: `, terminal)) !== 'yes') {
    throw new WindlassError('CLI_DECLINED', 'Nothing was done.', {
      advice: 'Run the command again when ready.',
    });
  }
}

/**
 * Resolves when a person typed the name of what may have a second effect, or gave it with `--confirm`.
 *
 * @throws CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function confirmName(
  name: string,
  given: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (given === name) return;
  if (given !== undefined) throw new WindlassError('CLI_DECLINED', `--confirm names ${given}, not ${name}.`);
  if (!terminal.interactive) {
    throw new WindlassError('CLI_CONFIRMATION_MISSING', `${name} must be confirmed by its name.`, {
      advice: `Add ${commandLine(['--confirm', name])}.`,
    });
  }
  const question = `${escapeTerminal(name)} may be sent again after this. Type its name to go on: `;
  if ((await ask(question, terminal)) !== name)
    throw new WindlassError('CLI_DECLINED', 'Nothing was recorded.');
}

/**
 * The line typed, or undefined when the input ended. Where the screen is not redrawn, nothing edits the line but the
 * terminal itself, so that nothing moves its cursor.
 *
 * @throws Interrupted at Ctrl-C
 */
async function ask(question: string, terminal: Terminal): Promise<string | undefined> {
  const { err, interruption } = terminal;
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: err.live,
  });
  const release = err.live ? () => undefined : interruption.hold();
  const gone = new AbortController();
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    gone.abort();
  };
  lines.once('close', () => gone.abort());
  lines.once('SIGINT', interrupt);
  interruption.signal.addEventListener('abort', interrupt, { once: true });
  try {
    return (await lines.question(question, { signal: gone.signal })).trim();
  } catch {
    if (!interrupted) return undefined;
    err.write('\n');
    throw new Interrupted();
  } finally {
    interruption.signal.removeEventListener('abort', interrupt);
    lines.close();
    release();
  }
}
