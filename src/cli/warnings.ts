import { diagnosticsText } from '../report/diagnostics.js';
import type { PlanMistakes } from './plan-mistakes.js';
import { printNote, type Terminal } from './terminal.js';

/** Prints the warnings of a plan that is usable all the same. */
export function printWarnings(terminal: Terminal): (mistakes: PlanMistakes) => void {
  return ({ diagnostics, sources }) => {
    printNote(terminal, diagnosticsText(diagnostics, sources, { colour: terminal.err.colour }));
  };
}
