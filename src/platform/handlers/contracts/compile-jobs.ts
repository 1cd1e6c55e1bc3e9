import { compile, type CompileJob, type CompileResult } from '../../compiler/compile.js';
import type { JobSource, Taken } from '../../compiler/queue.js';
import type { CompilerThreads } from '../../compiler/threads.js';
import type { Files } from '../../files/files.js';
import type { Reader } from '../../state/records.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import type { Context } from '../handler.js';
import type { KeptSource, VersionRow } from './tables.js';

/** Where compilers and packages are kept, and the threads that compile. */
export interface CompilerParts {
  readonly threads: CompilerThreads;
  readonly cacheDir: string;
}

/** The versions with status `compile_queued`, in the order in which they were submitted. */
export function compileJobs(
  context: Pick<Context, 'records' | 'files' | 'now'>,
  parts: CompilerParts,
): JobSource<VersionRow, CompileResult> {
  const { records, files, now } = context;
  return {
    next: (taken) => nextVersion(records, `status = 'compile_queued'`, taken),
    place: (version) => version.queue_place,
    lane: (version) => version.org,
    work: async (version) => {
      const today = timestampOf(now()).slice(0, 10);
      return compile(await jobOf(files, version), parts.threads, { cacheDir: parts.cacheDir, today });
    },
    finish: (version, result) => record(context, version, result),
  };
}

/**
 * The oldest version of the organisation that has the fewest at work, so that none waits behind another's many.
 *
 * @param waiting which versions are meant, as a condition
 */
export function nextVersion(
  reader: Reader,
  waiting: string,
  { places, lanes }: Taken,
): Promise<VersionRow | undefined> {
  const turn = lanes.map(() => 'WHEN ? THEN ?').join(' ');
  const others = ['?', ...places.map(() => '?')].join(', ');
  return reader.first<VersionRow>(
    `SELECT * FROM versions WHERE ${waiting} AND queue_place NOT IN (${others})
     ORDER BY ${turn === '' ? '' : `CASE org ${turn} ELSE 0 END, `}queue_place LIMIT 1`,
    [0, ...places, ...lanes.flat()],
  );
}

/** What a version asks of the compiler. */
export async function jobOf(files: Files, version: VersionRow): Promise<CompileJob> {
  const kept = JSON.parse(version.sources) as readonly KeptSource[];
  const sources = await Promise.all(
    kept.map(async ({ filename, path }) => ({
      filename,
      content: new TextDecoder().decode(await files.read(path)),
    })),
  );
  return {
    compiler: version.compiler,
    optimizer: { enabled: version.optimizer_enabled === 1, runs: version.optimizer_runs },
    sources,
    packages: JSON.parse(version.packages) as string[],
  };
}

async function record(
  { records, now }: Pick<Context, 'records' | 'now'>,
  version: VersionRow,
  result: CompileResult,
): Promise<void> {
  const time = timestampOf(now());
  const kept = JSON.parse(version.sources) as readonly KeptSource[];
  const paths = new Map(kept.map(({ filename, path }) => [filename, path]));
  await records.transact(async (writer) => {
    // A version that was submitted again meanwhile has another place: this result is of its past.
    const changed = await writer.run(
      `UPDATE versions SET status = ?, latest_error = ?, last_compiled_at = ?, ${UPDATED_AT}
       WHERE id = ? AND queue_place = ?`,
      [
        result.ok ? 'compiled' : 'compile_failed',
        result.ok ? '' : result.error,
        time,
        time,
        time,
        version.id,
        version.queue_place,
      ],
    );
    if (changed === 0 || !result.ok) return;
    for (const { name, filename, abi, bytecode } of result.contracts) {
      await writer.run(
        `INSERT INTO artifacts (version_id, queue_place, name, abi, bytecode, source, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          version.id,
          version.queue_place,
          name,
          JSON.stringify(abi),
          bytecode,
          paths.get(filename) ?? '',
          time,
          time,
        ],
      );
    }
  });
}
