import { namesOfOtherLineages } from '../../disk/other-lineages.js';
import { openState } from '../../disk/state-folder.js';
import { verify as compare } from '../../engine.js';
import { mayRepeatSince } from '../../execute/pace.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { codeOfDoubts, doubtsOf } from '../../report/doubt.js';
import { verificationJson, verificationText } from '../../report/verification.js';
import { SYSTEM_CLOCK } from '../clock.js';
import { openEventStream, type EventStream, type StreamFlags } from '../event-stream.js';
import { failureEvent, sentenceAt } from '../failure.js';
import { findPlan } from '../plan-file.js';
import { tellResult } from '../run-end.js';
import { placeOfCommand } from '../run-page.js';
import type { KeyFlags } from '../key-admission.js';
import { openSession, type Session } from '../session.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** Flags of `verify`. */
export interface VerifyFlags extends StreamFlags, KeyFlags {
  readonly env?: string;
  readonly format: 'text' | 'json';
  readonly attestation?: string;
  readonly keyFile?: string;
}

/**
 * Compares everything locked with the platform and the chain. Exit 0; 6 when something differs, 7 when a step is sent and
 * open, 8 when a step had a second effect or its outcome is not known.
 */
export async function verify(
  terminal: Terminal,
  named: string | undefined,
  flags: VerifyFlags,
): Promise<ExitCode> {
  const stream = openEventStream(flags, terminal);
  try {
    const { attestation } = flags;
    if (attestation !== undefined) {
      const { verifyAttestation } = await import('./verify-attestation.js');
      return await verifyAttestation({ terminal, stream }, named, { ...flags, attestation });
    }
    if (flags.keyFile !== undefined) throw new WindlassError('CLI_USAGE', '--key-file needs --attestation.');
    const session = await openSession(terminal, await findPlan(named, terminal), flags.env, flags);
    try {
      return await verifySession({ terminal, session, stream }, flags.format);
    } finally {
      await session.close();
    }
  } catch (thrown) {
    stream.emit(failureEvent(thrown, { environment: flags.env, plan: named }));
    throw thrown;
  } finally {
    stream.close();
  }
}

/** Verifies in an open session and prints what was found. */
export async function verifySession(
  parts: { readonly terminal: Terminal; readonly session: Session; readonly stream: EventStream },
  format: 'text' | 'json',
): Promise<ExitCode> {
  const { terminal, session, stream } = parts;
  const state = await openState(session.place);
  state.checkTarget(session.target, session.admission?.lineage);
  for (const notice of state.notices) printNote(terminal, notice);
  const { plan, abilities, service } = session;
  const sentSince = mayRepeatSince(session.pace, SYSTEM_CLOCK.nowMs());
  const explained = await namesOfOtherLineages(state.paths, state.lock?.lineage);
  const found = await compare({ plan, state: state.state, abilities, service, sentSince, explained });
  const doubts = doubtsOf(state.state, placeOfCommand(session));
  const document = verificationJson(found, doubts);
  stream.emit({ type: 'verification', verification: document });
  if (!stream.onStdout) {
    printResult(
      terminal,
      format === 'json'
        ? JSON.stringify(document, null, 2)
        : sentenceAt(
            verificationText(found, { colour: terminal.out.colour, doubts }),
            placeOfCommand(session),
          ),
    );
  }
  if (found.repeats.length > 0) return tellResult(parts, 'STEP_DUPLICATE');
  const doubtful = codeOfDoubts(doubts);
  if (doubtful !== undefined) return tellResult(parts, doubtful);
  return found.mismatches.length > 0 ? tellResult(parts, 'VERIFY_MISMATCH') : EXIT.done;
}
