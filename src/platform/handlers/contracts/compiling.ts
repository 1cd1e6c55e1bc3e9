import type { Packages } from '../../../build/packages.js';
import { findSlither } from '../../analysis/slither.js';
import { runQueue, type CompileQueue, type QueueLimits, type RunningQueue } from '../../compiler/queue.js';
import { CompilerThreads, type ThreadCaps } from '../../compiler/threads.js';
import type { Context } from '../handler.js';
import { analysisJobs } from './analysis-jobs.js';
import { compileJobs } from './compile-jobs.js';

type Parts = Pick<Context, 'records' | 'files' | 'now'>;

/** How versions are compiled. */
export interface CompilingOptions {
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

/** Begins to compile what is queued, and to analyse what was compiled where Slither is on the `PATH`. */
export function openCompiler(parts: Parts, options: CompilingOptions): Compiling {
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
    isWorkingOn: (place) => queue.isWorkingOn(place),
    close: async () => {
      // First the queues, so that nothing that is broken off counts as failed.
      queue.stop();
      analyser?.stop();
      leaving.abort();
      await Promise.all([threads.close(), analyser?.close()]);
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
