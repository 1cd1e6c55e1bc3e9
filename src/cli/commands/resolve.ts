import { licence, resolvableStep, resolveStep, type Resolution } from '../../execute/resolve.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import type { Attempt } from '../../state/attempt.js';
import { adoptedText, resolvedJson } from '../../report/resolved.js';
import { confirmName } from '../confirm.js';
import { readPairs } from '../pairs.js';
import type { LockFlags } from '../lock-wait.js';
import { findPlan } from '../plan-file.js';
import type { KeyFlags } from '../key-admission.js';
import { openSession } from '../session.js';
import { withState } from '../state-session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Flags of `resolve`. */
export interface ResolveFlags extends LockFlags, KeyFlags {
  readonly env?: string;
  readonly adopt?: readonly string[];
  readonly absent?: boolean;
  readonly keep?: boolean;
  readonly statement?: string;
  readonly confirm?: string;
  readonly acceptPossibleDuplicate?: boolean;
  readonly by: string;
  readonly format: 'text' | 'json';
}

/**
 * Settles a step that only a person can settle. What reads contradict is refused; what lets a step be sent again needs
 * its name typed, and for facts a flag of its own.
 *
 * @throws RESOLVE_NOT_OPEN, RESOLVE_CONTRADICTED, CLI_USAGE, CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function resolve(
  terminal: Terminal,
  step: string,
  named: string | undefined,
  flags: ResolveFlags,
): Promise<ExitCode> {
  const resolution = readResolution(flags);
  const session = await openSession(terminal, await findPlan(named, terminal), flags.env, flags);
  try {
    const result = await withState(session, terminal, flags, async ({ state, recorder }) => {
      const attempt = resolvableStep(state.state, step);
      await confirm(attempt, resolution, flags, terminal);
      const { abilities, service } = session;
      const adopted = await resolveStep(attempt, resolution, { abilities, service, recorder });
      return { step: attempt.step, decision: resolution.decision, adopted };
    });
    if (flags.format === 'json') printResult(terminal, JSON.stringify(resolvedJson(result), null, 2));
    else printNote(terminal, adoptedText(result, { colour: terminal.err.colour }));
    return EXIT.done;
  } finally {
    await session.close();
  }
}

function readResolution({ adopt, absent, keep, statement, by }: ResolveFlags): Resolution {
  const decisions = [
    ...(adopt === undefined ? [] : ['adopt' as const]),
    ...(absent ? ['absent' as const] : []),
    ...(keep ? ['keep' as const] : []),
  ];
  const [decision] = decisions;
  if (decision === undefined || decisions.length > 1) {
    throw new WindlassError('CLI_USAGE', 'Say one of --adopt k=v…, --absent and --keep.');
  }
  if (decision !== 'adopt' && (statement ?? '').trim() === '') {
    throw new WindlassError('CLI_USAGE', `--${decision} needs --statement with what was looked at.`);
  }
  return { decision, given: readPairs(adopt ?? []), statement: statement ?? '', by };
}

/** What may be sent again after this is confirmed by name. @throws CLI_CONFIRMATION_MISSING, CLI_DECLINED */
async function confirm(
  attempt: Attempt,
  resolution: Resolution,
  flags: ResolveFlags,
  terminal: Terminal,
): Promise<void> {
  const allows = licence(attempt, resolution);
  if (allows === 'none') return;
  if (resolution.statement.trim() === '') {
    throw new WindlassError('CLI_USAGE', 'What was not made needs --statement with what was looked at.');
  }
  if (allows === 'fact' && flags.acceptPossibleDuplicate !== true) {
    throw new WindlassError(
      'CLI_CONFIRMATION_MISSING',
      `${attempt.step} will be sent again, and if it did take effect, there will be two that cannot be undone.`,
      { advice: 'Add --accept-possible-duplicate when you are sure that it did not.' },
    );
  }
  await confirmName(attempt.step, flags.confirm, terminal);
}
