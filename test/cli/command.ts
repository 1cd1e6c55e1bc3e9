import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Screen, Terminal } from '../../src/cli/terminal.js';
import { watchedEnvironment } from '../support/conformance.js';

/** The built command line. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** How a command ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command runs. */
interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Variables that are read by a process and not by a command, or end the process. */
const OF_A_PROCESS =
  /^(NODE_|OTEL_|TRACEPARENT|PATH$|HOME$|FORCE_COLOR|NO_COLOR|TEST_HOST|WINDLASS_FAILPOINT)/;

/** Both modules of the build, and not of the sources: what it loads later lies beside it. */
const PROGRAM = new URL('../../dist/cli/program.js', import.meta.url).href;
const FAILURE = new URL('../../dist/cli/failure.js', import.meta.url).href;

/**
 * Runs a command of the built command line with its input closed and no terminal. It runs in this process, because
 * loading it costs more than most commands do; what is about the process itself (its death, its variables, what it
 * loads, two at a time) is for `windlassProcess`.
 */
export async function windlass(args: readonly string[], options: Surroundings = {}): Promise<Ended> {
  const own = Object.keys(options.env ?? {}).find((name) => OF_A_PROCESS.test(name));
  if (own !== undefined) throw new Error(`${own} is for windlassProcess`);
  const { runProgram } = (await import(PROGRAM)) as typeof import('../../src/cli/program.js');
  const { reportFailure } = (await import(FAILURE)) as typeof import('../../src/cli/failure.js');
  const ended = { stdout: '', stderr: '' };
  const screen = (name: keyof typeof ended): Screen => ({
    write: (text) => void (ended[name] += text),
    colour: false,
    live: false,
    size: () => ({ columns: 80, rows: 24 }),
  });
  const terminal: Terminal = {
    out: screen('stdout'),
    err: screen('stderr'),
    interactive: false,
    cwd: options.cwd ?? tmpdir(),
    env: environment(options),
    interruption: { signal: new AbortController().signal, hold: () => () => undefined },
  };
  const code = await runProgram(args, terminal).catch((thrown: unknown) => reportFailure(thrown, terminal));
  return { code, ...ended };
}

/** A terminal that nobody reads: to look at commands without running one. */
export function quietTerminal(): Terminal {
  const screen: Screen = {
    write: () => undefined,
    colour: false,
    live: false,
    size: () => ({ columns: 80, rows: 24 }),
  };
  const interruption = { signal: new AbortController().signal, hold: () => () => undefined };
  return { out: screen, err: screen, interactive: false, cwd: tmpdir(), env: {}, interruption };
}

function environment({ env: own }: Surroundings): NodeJS.ProcessEnv {
  const { CI: _ci, NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
  return { ...env, ...watchedEnvironment(), ...own };
}

/** Runs the built command line as people do, in a process of its own, with its input closed and no terminal. */
export function windlassProcess(args: readonly string[], options: Surroundings = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder of its own for one test, removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-cli-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
