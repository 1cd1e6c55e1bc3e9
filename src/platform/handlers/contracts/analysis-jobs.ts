import { vulnerabilitiesIn } from '../../analysis/report.js';
import { analyse } from '../../analysis/slither.js';
import { compileForAnalysis } from '../../compiler/compile.js';
import type { JobSource } from '../../compiler/queue.js';
import { timestampOf } from '../../state/timestamp.js';
import type { PutFile } from '../../files/files.js';
import { ServiceError, type Context } from '../handler.js';
import { jobOf, waitingVersions, type CompilerParts } from './compile-jobs.js';
import type { VersionRow } from './tables.js';

/** What an analysis works with. */
export interface AnalysisParts extends CompilerParts {
  /** Where Slither is. */
  readonly slither: string;
}

/** A kept report and what it counts; undefined when there is none. */
type Analysed = { readonly file: PutFile; readonly vulnerabilities: number } | undefined;

const NOT_ANALYSED = `status NOT IN ('compile_queued', 'compile_failed') AND NOT EXISTS (SELECT 1 FROM analyses
  WHERE analyses.version_id = versions.id AND analyses.queue_place = versions.queue_place)`;

/** The versions that were compiled and not analysed yet, in the order in which they were submitted. */
export function analysisJobs(
  { records, files, now }: Pick<Context, 'records' | 'files' | 'now'>,
  parts: AnalysisParts,
): JobSource<VersionRow, Analysed> {
  return {
    ...waitingVersions(records, NOT_ANALYSED),
    work: async (version) => {
      const job = await jobOf(files, version);
      const today = timestampOf(now()).slice(0, 10);
      const compiled = await compileForAnalysis(job, { ...parts, today });
      const subject = compiled && { ...compiled, sources: job.sources, compiler: job.compiler };
      const report = subject && (await analyse(parts.slither, subject, { signal: parts.signal }));
      const names = job.sources.map(({ filename }) => filename);
      const vulnerabilities = report === undefined ? undefined : vulnerabilitiesIn(report, names);
      if (report === undefined || vulnerabilities === undefined) return undefined;
      const bytes = Buffer.from(report);
      const about = { org: version.org, name: 'slither.json', contentType: 'application/json', bytes };
      const file = await files.put(about).catch(noRoom);
      return file && { file, vulnerabilities };
    },
    finish: async (version, analysed) => {
      await records.transact(async (writer) => {
        const sql = `INSERT INTO analyses (version_id, queue_place, report, vulnerabilities) VALUES (?, ?, ?, ?)
          ON CONFLICT (version_id, queue_place) DO NOTHING`;
        const { file, vulnerabilities = null } = analysed ?? {};
        await writer.run(sql, [version.id, version.queue_place, file?.path ?? null, vulnerabilities]);
        if (file) await files.keep(writer, file);
      });
      if (analysed) await files.release([analysed.file], true);
    },
  };
}

/** An organisation without room for files has no report. */
function noRoom(cause: unknown): undefined {
  if (!(cause instanceof ServiceError)) throw cause;
}
