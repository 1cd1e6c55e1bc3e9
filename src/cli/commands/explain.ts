import { ERROR_CODES, EXIT, type ErrorCode, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { nearestName } from '../../plan/nearest.js';
import { ALL_CODES, codeBook, codeJson, codeList, codeMarkdown, codeText } from '../../report/code-page.js';
import { printResult, type Terminal } from '../terminal.js';

/** Flags of `explain`. */
export interface ExplainFlags {
  readonly format: 'text' | 'json' | 'markdown';
  readonly all?: boolean;
}

/** Shows the page of an error code; without one, lists all; with `--all`, shows every page. */
export async function explain(
  terminal: Terminal,
  code: string | undefined,
  flags: ExplainFlags,
): Promise<ExitCode> {
  if (code !== undefined && flags.all) {
    throw new WindlassError('CLI_USAGE', '`explain` takes a code or --all, not both.');
  }
  const text = code === undefined ? manyPages(flags) : onePage(requireCode(code), flags.format);
  printResult(terminal, text.trimEnd());
  return EXIT.done;
}

function onePage(code: ErrorCode, format: ExplainFlags['format']): string {
  if (format === 'json') return JSON.stringify(codeJson(code), null, 2);
  return format === 'markdown' ? codeMarkdown(code) : codeText(code);
}

function manyPages({ format, all }: ExplainFlags): string {
  if (format === 'json') return JSON.stringify(ERROR_CODES, null, 2);
  if (format === 'markdown') return codeBook();
  return all ? ALL_CODES.map(codeText).join('\n\n\n') : codeList();
}

/** The code that a person wrote, whatever its case, and with dashes or blanks for underscores. @throws CLI_USAGE */
function requireCode(written: string): ErrorCode {
  const wanted = written
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_');
  const known = ALL_CODES.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new WindlassError('CLI_USAGE', `There is no error code ${written}.`, { advice: adviceFor(wanted) });
}

/** The nearest code, with or without its first word; or those that hold what was written, or begin as it does. */
function adviceFor(wanted: string): string {
  const rests = new Map(ALL_CODES.map((code) => [code.slice(code.indexOf('_') + 1), code]));
  const near = nearestName(wanted, ALL_CODES) ?? rests.get(nearestName(wanted, rests.keys()) ?? '');
  if (near !== undefined) return `Did you mean ${near}?`;
  const first = `${wanted.split('_')[0]}_`;
  const holding = ALL_CODES.filter((name) => name.includes(wanted));
  const akin = holding.length > 0 ? holding : ALL_CODES.filter((name) => name.startsWith(first));
  if (wanted === '' || akin.length === 0) return '`windlass explain` lists all codes.';
  return `Did you mean ${akin.slice(0, 8).join(', ')}${akin.length > 8 ? ', …' : ''}?`;
}
