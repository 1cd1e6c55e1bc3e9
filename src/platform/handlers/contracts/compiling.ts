import { Packages } from '../../../build/packages.js';
import { findSlither } from '../../analysis/slither.js';
import { runQueue, type CompileQueue, type QueueLimits, type RunningQueue } from '../../compiler/queue.js';
import { CompilerThreads, type ThreadCaps } from '../../compiler/threads.js';
import type { PlatformOptions } from '../../options.js';
import type { Context } from '../handler.js';
import { analysisJobs } from './analysis-jobs.js';
import { compileJobs } from './compile-jobs.js';
import { HOSTED_VERSIONS, LOCAL_VERSIONS, type VersionLimits } from './version-limits.js';

type Parts = Pick<Context, 'records' | 'files' | 'now'>;

/** How versions are compiled. */
interface CompilingOptions {
  readonly cacheDir: string;
  readonly packages: Packages;
  /** Versions at a time, and of one organisation. */
  readonly limits: QueueLimits;
  /** What one compilation may take. */
  readonly caps: ThreadCaps;
  /** Told of every internal error. */
  readonly failed: (cause: unknown) => void;
}

/** The queue of versions, which can be closed. */
export type Compiling = CompileQueue & { close(): Promise<void> };

/** What compiles versions, and what they may take. */
export interface CompilingSide {
  readonly compiler: Compiling;
  readonly packages: Packages;
  readonly versions: VersionLimits;
}

/** Opens what compiles versions, with the limits of a hosted platform or of one on loopback. */
export function openCompiling(
  parts: Parts,
  about: {
    readonly options: PlatformOptions;
    readonly loopback: boolean;
    readonly failed: (cause: unknown) => void;
  },
): CompilingSide {
  const { options, loopback, failed } = about;
  const { cacheDir, compileWorkers: jobs = 2 } = options;
  const packages = new Packages(cacheDir, options.packages);
  const versions = { ...(loopback ? LOCAL_VERSIONS : HOSTED_VERSIONS), ...options.versions };
  const limits = { jobs, perLane: loopback ? jobs : Math.max(1, jobs - 1) };
  const caps = { time: versions.seconds * 1000 };
  const compiler = openCompiler(parts, { cacheDir, packages, limits, caps, failed });
  return { compiler, packages, versions };
}

/** Begins to compile what is queued, and to analyse what was compiled where Slither is on the `PATH`. */
function openCompiler(parts: Parts, options: CompilingOptions): Compiling {
  const { cacheDir, packages, limits, caps, failed } = options;
  const threads = new CompilerThreads(limits.jobs, caps);
  const leaving = new AbortController();
  const analyser = openAnalyser(parts, options, leaving.signal);
  const jobs = compileJobs(parts, { threads, packages, cacheDir, signal: leaving.signal });
  const compiled: typeof jobs = {
    ...jobs,
    finish: async (version, result) => {
      await jobs.finish(version, result);
      analyser?.wake();
    },
  };
  const queue = runQueue(compiled, limits, failed);
  return {
    wake: () => queue.wake(),
    retry: () => {
      queue.retry();
      analyser?.retry();
    },
    isWorkingOn: (place) => queue.isWorkingOn(place),
    close: async () => {
      // First the queues, so that nothing that is broken off counts as failed.
      queue.stop();
      analyser?.stop();
      leaving.abort();
      await Promise.all([threads.close(), analyser?.close()]);
      await packages.close();
    },
  };
}

function openAnalyser(
  parts: Parts,
  { cacheDir, packages, caps, failed }: CompilingOptions,
  signal: AbortSignal,
): (RunningQueue & { readonly close: () => Promise<void> }) | undefined {
  const slither = findSlither(process.env['PATH']);
  if (slither === undefined) return undefined;
  const threads = new CompilerThreads(1, caps);
  const jobs = analysisJobs(parts, { threads, packages, cacheDir, slither, signal });
  const queue = runQueue(jobs, { jobs: 1 }, failed);
  return { ...queue, close: () => threads.close() };
}
