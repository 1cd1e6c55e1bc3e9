import { adoptResource } from '../../execute/adopt.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import type { ResourceId } from '../../model/id.js';
import { adoptedText, resolvedJson } from '../../report/resolved.js';
import { readPairs } from '../pairs.js';
import type { LockFlags } from '../lock-wait.js';
import { findPlan } from '../plan-file.js';
import type { KeyFlags } from '../key-admission.js';
import { openSession } from '../session.js';
import { withState } from '../state-session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Flags of `adopt`. */
export interface AdoptFlags extends LockFlags, KeyFlags {
  readonly env?: string;
  readonly statement?: string;
  readonly format: 'text' | 'json';
}

/**
 * Takes a thing that exists into the lock.
 *
 * @param words `name=value` words; one without `=` names the plan
 * @throws CHANGE_UNKNOWN_ID, ADOPT_REFUSED, ADOPT_CONTRADICTED, CLI_USAGE
 */
export async function adopt(
  terminal: Terminal,
  id: string,
  words: readonly string[],
  flags: AdoptFlags,
): Promise<ExitCode> {
  const [named, ...more] = words.filter((word) => !word.includes('='));
  if (more.length > 0) throw new WindlassError('CLI_USAGE', `${more.join(' ')} is not name=value.`);
  const given = readPairs(words.filter((word) => word.includes('=')));
  const session = await openSession(terminal, await findPlan(named, terminal), flags.env, flags);
  try {
    const adopted = await withState(session, terminal, flags, ({ recorder }) => {
      const { plan, abilities, service } = session;
      const { statement } = flags;
      return adoptResource(
        { plan, id, given, ...(statement !== undefined && { statement }) },
        { abilities, service, recorder },
      );
    });
    const result = { adopted: { [id as ResourceId]: adopted } };
    if (flags.format === 'json') printResult(terminal, JSON.stringify(resolvedJson(result), null, 2));
    else printNote(terminal, adoptedText(result, { colour: terminal.err.colour }));
    return EXIT.done;
  } finally {
    await session.close();
  }
}
