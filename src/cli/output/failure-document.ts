import { CommanderError, type Command } from 'commander';
import { ERROR_CODES } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import type { JsonObject } from '../../model/json.js';
import { diagnosticsJson } from '../../report/diagnostics.js';
import { openEventStream } from '../event-stream.js';
import { asWindlassError, failureEvent } from '../failure.js';
import { Interrupted } from '../interruption.js';
import { PlanMistakes } from '../plan-mistakes.js';
import type { Terminal } from '../terminal.js';
import { printDocument } from './answer.js';

/** A terminal that remembers whether a result was begun. */
export interface WatchedTerminal {
  readonly terminal: Terminal;
  /** True when nothing was written to stdout yet. */
  readonly isSilent: () => boolean;
}

/** Watches stdout, so that a failure adds no second document to what stands there. */
export function watchOutput(terminal: Terminal): WatchedTerminal {
  let silent = true;
  const write = (text: string): void => {
    silent = false;
    terminal.out.write(text);
  };
  return { terminal: { ...terminal, out: { ...terminal.out, write } }, isSilent: () => silent };
}

/** True when the arguments ask for one JSON document; for what fails before a command is known. */
export function asksForDocument(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) => word === '--format=json' || (word === '--format' && argv[at + 1] === 'json'),
  );
}

/** True when the command gives one JSON document, because it was asked to or never gives anything else. */
export function givesDocument(command: Command): boolean {
  const { format, json } = command.opts<{ readonly format?: string; readonly json?: boolean }>();
  return format === 'json' && json !== true;
}

/** Prints `{"error": {code, message, advice, exit}}`, with all mistakes of the plan when it has some. */
export function printFailureDocument(terminal: Terminal, thrown: unknown): void {
  printDocument(terminal, failureDocument(thrown));
}

/** Prints the two lines of `--json` for what failed before a command opened its stream. */
export function printFailureEvents(terminal: Terminal, thrown: unknown): void {
  const stream = openEventStream({ json: true }, terminal);
  stream.emit(failureEvent(thrown instanceof CommanderError ? errorOf(thrown) : thrown));
  stream.close();
}

function failureDocument(thrown: unknown): JsonObject {
  const { code, message, advice } = errorOf(thrown);
  const error = { code, message, advice, exit: ERROR_CODES[code].exit };
  if (!(thrown instanceof PlanMistakes)) return { error };
  return { error, ...(diagnosticsJson(thrown.diagnostics) as JsonObject) };
}

function errorOf(thrown: unknown): WindlassError {
  if (thrown instanceof CommanderError) {
    return new WindlassError('CLI_USAGE', thrown.message.replace(/^error: /, ''));
  }
  if (thrown instanceof Interrupted)
    return new WindlassError('CLI_INTERRUPTED', 'Interrupted; nothing was sent.');
  if (thrown instanceof PlanMistakes) {
    const wrong = thrown.diagnostics.filter(({ severity }) => severity === 'error').length;
    return new WindlassError(
      'PLAN_INVALID',
      `The plan has ${wrong === 1 ? 'a mistake' : `${wrong} mistakes`}.`,
    );
  }
  return asWindlassError(thrown);
}
