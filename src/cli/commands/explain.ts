import { ERROR_CODES, EXIT, type ErrorCode, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { nearestName } from '../../plan/nearest.js';
import { printResult, type Terminal } from '../terminal.js';

const BLAME = {
  user: 'Yours to correct.',
  service: 'The service or the network; perhaps yours to correct.',
  windlass: 'A fault of Windlass; please report it.',
} as const;

/** Explains an error code, or lists all of them. */
export async function explain(
  terminal: Terminal,
  code: string | undefined,
  flags: { readonly format: 'text' | 'json' },
): Promise<ExitCode> {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  if (code === undefined) {
    const lines = codes.map((name) => `${name}  ${ERROR_CODES[name].meaning}`);
    printResult(terminal, flags.format === 'json' ? JSON.stringify(ERROR_CODES, null, 2) : lines.join('\n'));
    return EXIT.done;
  }
  const known = codes.find((name) => name === code.toUpperCase());
  if (known === undefined) {
    const nearest = nearestName(code.toUpperCase(), codes);
    throw new WindlassError('CLI_USAGE', `There is no error code ${code}.`, {
      advice: nearest ? `Did you mean ${nearest}?` : '`windlass explain` lists all codes.',
    });
  }
  const row = ERROR_CODES[known];
  if (flags.format === 'json') printResult(terminal, JSON.stringify({ code: known, ...row }, null, 2));
  else {
    printResult(
      terminal,
      `${known} (exit code ${row.exit})\n\n${row.meaning}\n${row.advice}\n${BLAME[row.blame]}`,
    );
  }
  return EXIT.done;
}
