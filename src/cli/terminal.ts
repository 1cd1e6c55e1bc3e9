import { stripVTControlCharacters } from 'node:util';
import type { OwnEnvironment } from '../model/own-variables.js';
import type { Tracing } from '../remote/tracing.js';
import type { Interruption } from './interruption.js';

/** One of the two streams to people. Writing never fails: a reader that went away must not end a run. */
export interface Screen {
  write(text: string): void;
  /** Colour is wanted and understood. */
  readonly colour: boolean;
  /** A terminal whose lines can be redrawn. */
  readonly live: boolean;
  /** Size now, in cells and lines; 80 × 24 where it is not known. */
  size(): { readonly columns: number; readonly rows: number };
}

/** Everything that a command knows of the place where it runs. */
export interface Terminal {
  /** Results only. */
  readonly out: Screen;
  /** Everything else. */
  readonly err: Screen;
  /** A person can be asked: terminal on both sides, and no CI. */
  readonly interactive: boolean;
  readonly cwd: string;
  readonly env: OwnEnvironment;
  readonly interruption: Interruption;
  /** Present when the environment asks for traces. */
  readonly tracing?: Tracing;
}

/** The terminal of this process. */
export function processTerminal(interruption: Interruption): Terminal {
  const { env } = process;
  const inCi = isSet(env['CI']);
  return {
    out: screenOf(process.stdout, env),
    err: screenOf(process.stderr, env),
    interactive: process.stdin.isTTY && process.stderr.isTTY && !inCi,
    cwd: process.cwd(),
    env,
    interruption,
  };
}

/** A line of a result. */
export function printResult(terminal: Terminal, text: string): void {
  terminal.out.write(`${text}\n`);
}

/** A line of anything else. */
export function printNote(terminal: Terminal, text: string): void {
  terminal.err.write(`${text}\n`);
}

/** Set, and not to a word for no. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}

/** What the types promise is missing where a stream is none: a palette told `undefined` would decide for itself. */
type MaybeTerminal = NodeJS.WriteStream & { readonly isTTY: boolean | undefined };

function screenOf(stream: MaybeTerminal, env: NodeJS.ProcessEnv): Screen {
  // The reader of a pipe may leave at any time; that is its business.
  stream.on('error', () => undefined);
  const tty = stream.isTTY ?? false;
  const dumb = env['TERM'] === 'dumb';
  const accessible = isSet(env['ACCESSIBLE']);
  return {
    write: (text) => void stream.write(accessible && tty ? wordsOnly(text) : text),
    colour: !accessible && !env['NO_COLOR'] && (isSet(env['FORCE_COLOR']) || (tty && !dumb)),
    live: tty && !dumb && !isSet(env['CI']) && !accessible,
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
  };
}

/** What a screen reader says as it stands: no sequence or character that moves, paints, rings or rewrites. */
function wordsOnly(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
}
