import { isFetchMessage } from '../build/fetch-error.js';
import type { RunResult } from '../execute/result.js';
import { ERROR_CODES, EXIT, type ErrorCode, type ExitCode } from '../model/error-codes.js';
import type { Json } from '../model/json.js';
import type { ResourceId } from '../model/id.js';
import { doubtsOf, type CommandPlace } from '../report/doubt.js';
import { doubtsText } from '../report/doubt-text.js';
import { escapeTerminal } from '../report/escape.js';
import { paletteOf } from '../report/palette.js';
import type { LineageState } from '../state/project.js';
import type { EventStream } from './event-stream.js';
import { sentenceAt } from './failure.js';
import { placeOfCommand } from './run-page.js';
import type { Session } from './session.js';
import { printNote, type Terminal } from './terminal.js';

/** Where the end of a run is told. */
interface Told {
  readonly terminal: Terminal;
  readonly session: Session;
  readonly stream: EventStream;
}

/** What came of a run. */
export interface Ended {
  readonly result: RunResult;
  /** What is as an earlier run had sent it, and not as the plan says. */
  readonly outdated: readonly ResourceId[];
}

/**
 * Names the code of a run that left something undone, and explains every step that a person may have to settle.
 *
 * @returns true when there is such a step
 */
export function tellRunEnd(parts: Told, state: LineageState, { result, outdated }: Ended): boolean {
  if (isUnauthorized(result, state)) tellResult(parts, 'REMOTE_AUTHENTICATION');
  else if (result.result === 'incomplete') {
    const isFetch = result.steps.some(({ message }) => message !== undefined && isFetchMessage(message));
    tellResult(parts, isFetch ? 'REGISTRY_FETCH' : 'STEP_FAILED');
  }
  if (outdated.length > 0) {
    printNote(parts.terminal, escapeTerminal(`not as planned: ${outdated.join(', ')}`));
    tellResult(parts, 'STEP_OUTDATED');
  }
  return tellDoubts(parts, state);
}

/** Explains every step that a person may have to settle. @returns true when there is one */
export function tellDoubts({ terminal, session, stream }: Told, state: LineageState): boolean {
  const place = placeOfCommand(session);
  const doubts = doubtsOf(state, place).filter((doubt) => doubt.state !== 'open');
  if (doubts.length === 0) return false;
  const twice = doubts.some((doubt) => doubt.state === 'duplicate');
  const code = twice ? 'STEP_DUPLICATE' : 'STEP_UNDECIDED';
  const { meaning: message } = ERROR_CODES[code];
  const advice = sentenceAt(ERROR_CODES[code].advice, place);
  stream.emit({ type: 'doubts', code, message, advice, doubts: doubts as unknown as Json });
  const { colour } = terminal.err;
  printNote(terminal, `${paletteOf(colour).bad(`error ${code}`)}: ${message}\n`);
  printNote(terminal, sentenceAt(doubtsText(doubts, { colour }), place));
  return true;
}

/** The exit code of a run, by the order of the design: interrupted, authentication, doubt, incomplete, done. */
export function exitOfRun({ result, outdated }: Ended, state: LineageState, doubtful: boolean): ExitCode {
  if (result.result === 'interrupted') return EXIT.interrupted;
  if (isUnauthorized(result, state)) return EXIT.authentication;
  if (result.result === 'undecided' || doubtful) return EXIT.undecided;
  return result.result === 'done' && outdated.length === 0 ? EXIT.done : EXIT.incomplete;
}

/** True when the service refused a write of this run because of the credentials: they were revoked while it went on. */
function isUnauthorized({ steps }: RunResult, state: LineageState): boolean {
  return steps.some(
    ({ end, step }) =>
      end === 'failed' && step !== undefined && state.attempts.get(step)?.answered?.status === 401,
  );
}

/** Says what a result that stands above it means, and what to do. @returns the exit code of it */
export function tellResult({ terminal, session, stream }: Told, code: ErrorCode): ExitCode {
  return tellCode({ terminal, stream }, code, placeOfCommand(session));
}

/** The same for commands that may work without a session. @param place where printed lines are meant to be run */
export function tellCode(
  { terminal, stream }: Omit<Told, 'session'>,
  code: ErrorCode,
  place: CommandPlace,
): ExitCode {
  const { meaning: message, exit } = ERROR_CODES[code];
  const advice = sentenceAt(ERROR_CODES[code].advice, place);
  stream.emit({ type: 'error', code, message, advice });
  const palette = paletteOf(terminal.err.colour);
  printNote(terminal, `${palette.bad(`error ${code}`)}: ${message}\n  ${palette.accent('fix:')} ${advice}`);
  return exit;
}
