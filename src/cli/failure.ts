import { withPlace } from '../model/command-text.js';
import { LOCAL } from '../model/environment.js';
import { ERROR_CODES, EXIT, type ExitCode } from '../model/error-codes.js';
import { WindlassError, messageOf } from '../model/error.js';
import type { Json } from '../model/json.js';
import { diagnosticsText } from '../report/diagnostics.js';
import { escapeLines } from '../report/escape.js';
import { paletteOf } from '../report/palette.js';
import { shellWord } from '../report/shell-word.js';
import { Interrupted } from './interruption.js';
import { PlanMistakes } from './plan-mistakes.js';
import { printNote, type Terminal } from './terminal.js';

/** Tells people what went wrong, on the second stream, and gives the exit code that says the same. */
export function reportFailure(thrown: unknown, terminal: Terminal): ExitCode {
  const { colour } = terminal.err;
  const palette = paletteOf(colour);
  if (thrown instanceof PlanMistakes) {
    printNote(terminal, diagnosticsText(thrown.diagnostics, thrown.sources, { colour }));
    return EXIT.invalid;
  }
  if (thrown instanceof Interrupted) {
    printNote(terminal, 'Interrupted; nothing was sent.');
    return EXIT.interrupted;
  }
  const error = asWindlassError(thrown);
  printNote(terminal, `${palette.bad(`error ${error.code}`)}: ${escapeLines(error.message)}`);
  printNote(terminal, `  ${palette.accent('fix:')} ${escapeLines(error.advice)}`);
  if (error.code === 'INTERNAL' && terminal.env['WINDLASS_DEBUG']) {
    printNote(terminal, escapeLines(thrown instanceof Error ? (thrown.stack ?? '') : String(thrown)));
  }
  return exitCodeOf(thrown);
}

/** What a command was called with that its advice has to repeat. */
export interface CalledWith {
  readonly environment?: string | undefined;
  readonly plan?: string | undefined;
}

/** A sentence whose commands mean the environment and plan that this one was called with. */
export function sentenceAt(sentence: string, { environment: name, plan }: CalledWith): string {
  return withPlace(sentence, {
    environment: name === undefined || name === LOCAL ? undefined : shellWord(name),
    plan: plan === undefined ? undefined : shellWord(plan),
  });
}

/** The same failure, with such an advice. */
export function failureAt(thrown: unknown, calledWith: CalledWith): unknown {
  if (!(thrown instanceof WindlassError)) return thrown;
  const advice = sentenceAt(thrown.advice, calledWith);
  if (advice === thrown.advice) return thrown;
  return new WindlassError(thrown.code, thrown.message, { advice, cause: thrown.cause });
}

/** The exit code of anything thrown. */
function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof PlanMistakes) return EXIT.invalid;
  if (thrown instanceof Interrupted) return EXIT.interrupted;
  return ERROR_CODES[asWindlassError(thrown).code].exit;
}

/** The event of `--json` for anything thrown by a command. */
export function failureEvent(failure: unknown, calledWith: CalledWith = {}): Json {
  const thrown = failureAt(failure, calledWith);
  if (thrown instanceof PlanMistakes) {
    return { type: 'diagnostics', diagnostics: thrown.diagnostics as unknown as Json };
  }
  if (thrown instanceof Interrupted) return { type: 'interrupted' };
  const error = asWindlassError(thrown);
  return { type: 'error', code: error.code, message: error.message, advice: error.advice };
}

/** The failure with a code: what has none is a state that our own rules exclude. */
export function asWindlassError(thrown: unknown): WindlassError {
  if (thrown instanceof WindlassError) return thrown;
  return new WindlassError('INTERNAL', messageOf(thrown), { cause: thrown });
}
