import { findSlither } from '../../analysis/slither.js';
import { runQueue, type CompileQueue, type RunningQueue } from '../../compiler/queue.js';
import { CompilerThreads } from '../../compiler/threads.js';
import type { Context } from '../handler.js';
import { analysisJobs } from './analysis-jobs.js';
import { compileJobs } from './compile-jobs.js';

type Parts = Pick<Context, 'records' | 'files' | 'now'>;

/** How versions are compiled. */
export interface CompilingOptions {
  readonly cacheDir: string;
  /** Versions at a time. */
  readonly limit: number;
  /** Told of every internal error. */
  readonly failed: (cause: unknown) => void;
}

/** The queue of versions, which can be closed. */
export type Compiling = CompileQueue & { close(): Promise<void> };

/** Begins to compile what is queued, and to analyse what was compiled where Slither is on the `PATH`. */
export function openCompiler(parts: Parts, options: CompilingOptions): Compiling {
  const { cacheDir, limit, failed } = options;
  const threads = new CompilerThreads(limit);
  const analyser = openAnalyser(parts, options);
  const jobs = compileJobs(parts, { threads, cacheDir });
  const compiled: typeof jobs = {
    ...jobs,
    finish: async (version, result) => {
      await jobs.finish(version, result);
      analyser?.wake();
    },
  };
  const queue = runQueue(compiled, limit, failed);
  return {
    wake: () => queue.wake(),
    isWorkingOn: (place) => queue.isWorkingOn(place),
    close: async () => {
      queue.stop();
      analyser?.stop();
      await Promise.all([threads.close(), analyser?.close()]);
    },
  };
}

function openAnalyser(
  parts: Parts,
  { cacheDir, failed }: CompilingOptions,
): (RunningQueue & { readonly close: () => Promise<void> }) | undefined {
  const slither = findSlither(process.env['PATH']);
  if (slither === undefined) return undefined;
  const threads = new CompilerThreads(1);
  const leaving = new AbortController();
  const queue = runQueue(
    analysisJobs(parts, { threads, cacheDir, slither, signal: leaving.signal }),
    1,
    failed,
  );
  return {
    ...queue,
    close: () => {
      leaving.abort();
      return threads.close();
    },
  };
}
