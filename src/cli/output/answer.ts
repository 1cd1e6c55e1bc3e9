import type { Json } from '../../model/json.js';
import { printNote, printResult, type Terminal } from '../terminal.js';

/** `--format` of commands that say something to people or to tools. */
export interface AnswerFlags {
  readonly format: 'text' | 'json';
}

/**
 * Says what a command did: one JSON document on stdout for tools, else lines for people on the second stream.
 *
 * @param document its shape stands in `docs/output.md`
 */
export function tellDone(
  terminal: Terminal,
  { format }: AnswerFlags,
  document: Json,
  lines: string | readonly string[],
): void {
  if (format === 'json') return printDocument(terminal, document);
  for (const line of [lines].flat()) printNote(terminal, line);
}

/** Prints the one document of `--format json`. */
export function printDocument(terminal: Terminal, document: Json): void {
  printResult(terminal, JSON.stringify(document, null, 2));
}
