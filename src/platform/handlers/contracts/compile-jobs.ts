import { countUse } from '../../admission/quotas.js';
import { compile, type CompileJob, type CompileResult, type CompileWith } from '../../compiler/compile.js';
import type { JobSource } from '../../compiler/queue.js';
import type { Head } from '../../compiler/turns.js';
import type { Files } from '../../files/files.js';
import type { Reader } from '../../state/records.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import type { Context } from '../handler.js';
import type { KeptSource, VersionRow } from './tables.js';

/** Where compilers and packages come from, and the threads that compile. */
export type CompilerParts = Omit<CompileWith, 'today'>;

/** The versions with status `compile_queued`, those of an organisation in the order in which they were submitted. */
export function compileJobs(
  context: Pick<Context, 'records' | 'files' | 'now'>,
  parts: CompilerParts,
): JobSource<VersionRow, CompileResult> {
  const { records, files, now } = context;
  return {
    ...waitingVersions(records, `status = 'compile_queued'`),
    work: async (version) => {
      const today = timestampOf(now()).slice(0, 10);
      return compile(await jobOf(files, version), { ...parts, today });
    },
    finish: (version, result) => record(context, version, result),
  };
}

/**
 * Versions that wait for something, a lane for each organisation.
 *
 * @param waiting which versions are meant, as a condition
 */
export function waitingVersions(
  reader: Reader,
  waiting: string,
): Pick<JobSource<VersionRow, unknown>, 'heads' | 'job' | 'place' | 'lane'> {
  return {
    heads: (taken) => {
      const others = ['?', ...taken.map(() => '?')].join(', ');
      return reader.all<Head>(
        `SELECT org AS lane, min(queue_place) AS place FROM versions
         WHERE ${waiting} AND queue_place NOT IN (${others}) GROUP BY org`,
        [0, ...taken],
      );
    },
    job: (place) =>
      reader.first<VersionRow>(`SELECT * FROM versions WHERE ${waiting} AND queue_place = ?`, [place]),
    place: (version) => version.queue_place,
    lane: (version) => version.org,
  };
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
      const text = JSON.stringify(abi);
      await countUse(writer, version.org, 'storedBytes', text.length + bytecode.length);
      await writer.run(
        `INSERT INTO artifacts (version_id, queue_place, name, abi, bytecode, source, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [version.id, version.queue_place, name, text, bytecode, paths.get(filename) ?? '', time, time],
      );
    }
  });
}
