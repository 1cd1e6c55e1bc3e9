import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Source } from '../compiler/compile.js';

/** A version that was compiled, ready to be analysed. */
export interface Subject {
  readonly sources: readonly Source[];
  /** Sources of packages that it imports, by the names that imports give them. */
  readonly files: Readonly<Record<string, string>>;
  /** Version of the compiler, without a leading `v`. */
  readonly compiler: string;
  /** What the compiler said, as Standard JSON with syntax trees and source maps. */
  readonly output: string;
}

/** What one analysis may take. */
export interface AnalysisCaps {
  /** In milliseconds; 120,000 by default. */
  readonly time?: number;
  /** Address space in MiB; 2048 by default. */
  readonly memory?: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** Largest report that is kept, in bytes. */
const MOST_REPORT = 20_000_000;

const TIME = 120_000;
const MEMORY = 2048;

/**
 * The Slither that a search path (`PATH`) names; undefined when there is none. Needs a POSIX shell, so never on
 * Windows.
 */
export function findSlither(path: string | undefined): string | undefined {
  if (process.platform === 'win32') return undefined;
  return (path ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'slither'))
    .find((file) => isExecutable(file));
}

/**
 * Lets Slither analyse a version and answers its report, without the paths of this machine. It gets a folder of its
 * own, a compiler that only repeats what ours said, none of this process's secrets, and caps of time and memory.
 *
 * @returns undefined when there is no report, for whatever reason: an analysis never fails a version
 */
export async function analyse(
  slither: string,
  subject: Subject,
  caps: AnalysisCaps = {},
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-analysis-'));
  try {
    await lay(folder, subject);
    await run(slither, folder, caps);
    const report = join(folder, 'report.json');
    if ((await stat(report)).size > MOST_REPORT) return undefined;
    return (await readFile(report, 'utf8')).replaceAll(`${folder}/`, '');
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes what Slither reads: sources, packages, and the compiler that repeats. */
async function lay(folder: string, { sources, files, compiler, output }: Subject): Promise<void> {
  for (const { filename, content } of sources) await writeFile(join(folder, filename), content);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await writeFile(
    join(folder, 'input.json'),
    JSON.stringify({ language: 'Solidity', sources: {}, settings: {} }),
  );
  await mkdir(join(folder, '.bin'));
  await writeFile(join(folder, '.bin', 'output.json'), output);
  const script = `#!/bin/sh
case "$*" in
*--version*) echo 'solc, the solidity compiler commandline interface'; echo 'Version: ${compiler}' ;;
*) cat > /dev/null; cat '${folder}/.bin/output.json' ;;
esac
`;
  await writeFile(join(folder, '.bin', 'solc'), script, { mode: 0o700 });
}

/** Runs Slither to its end. Its exit code says how much it found, not whether it went well. */
function run(
  slither: string,
  folder: string,
  { time = TIME, memory = MEMORY, signal }: AnalysisCaps,
): Promise<void> {
  const limited = `ulimit -v ${String(memory * 1024)} 2>/dev/null; exec "$@"`;
  const solc = join(folder, '.bin', 'solc');
  const words = [
    'input.json',
    '--compile-force-framework',
    'solc-json',
    '--solc',
    solc,
    '--json',
    'report.json',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', limited, 'sh', slither, ...words], {
      cwd: folder,
      env: { PATH: `${join(folder, '.bin')}:${process.env['PATH'] ?? ''}`, HOME: folder, LANG: 'C.UTF-8' },
      stdio: 'ignore',
      detached: true,
    });
    // Whatever it started ends with it.
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(end, time);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      end();
      done();
    };
    child.once('error', (cause) => settle(() => reject(cause)));
    child.once('exit', () => settle(resolve));
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
