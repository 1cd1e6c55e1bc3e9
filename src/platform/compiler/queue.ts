/** The queue of versions to compile. */
export interface CompileQueue {
  /** Wakes the queue: a version was recorded as `compile_queued`. */
  wake(): void;
  /** Whether the job at a place of the queue is being worked on. */
  isWorkingOn(place: number): boolean;
}

/** Where a queue takes its jobs from, and where their results go. */
export interface JobSource<Job, Result> {
  /** The oldest waiting job behind `after` in the queue; undefined when there is none. */
  next(after: number): Promise<Job | undefined>;
  /** Place of a job in the queue; grows. */
  place(job: Job): number;
  work(job: Job): Promise<Result>;
  /** Records a result. Called in the order of the queue, so that ids come out the same on every machine. */
  finish(job: Job, result: Result): Promise<void>;
}

/** A running queue. */
export interface RunningQueue extends CompileQueue {
  /** Takes no new job; what is under way is dropped and found again at the next start. */
  stop(): void;
}

/**
 * Runs jobs, some at a time, and finishes them in order. A job whose work throws stays waiting until the next
 * start.
 *
 * @param failed told of every throw
 */
export function runQueue<Job, Result>(
  source: JobSource<Job, Result>,
  limit: number,
  failed: (cause: unknown) => void,
): RunningQueue {
  const state = { stopped: false, running: 0, taken: 0, looking: false, again: false };
  const working = new Set<number>();
  let finishing: Promise<void> = Promise.resolve();
  const start = (job: Job): void => {
    state.running += 1;
    const before = finishing;
    working.add(source.place(job));
    const work = source.work(job);
    finishing = (async () => {
      try {
        const [result] = await Promise.all([work, before]);
        if (!state.stopped) await source.finish(job, result);
      } catch (cause) {
        if (!state.stopped) failed(cause);
      } finally {
        working.delete(source.place(job));
      }
    })();
    const free = (): void => {
      state.running -= 1;
      wake();
    };
    work.then(free, free);
  };
  const look = async (): Promise<void> => {
    state.again = true;
    if (state.looking) return;
    state.looking = true;
    while (state.again && !state.stopped && state.running < limit) {
      state.again = false;
      const job = await source.next(state.taken).catch((cause: unknown) => {
        failed(cause);
        return undefined;
      });
      if (job === undefined || state.stopped) continue;
      state.taken = source.place(job);
      state.again = true;
      start(job);
    }
    state.looking = false;
  };
  const wake = (): void => {
    void look();
  };
  wake();
  return {
    wake,
    isWorkingOn: (place) => working.has(place),
    stop: () => {
      state.stopped = true;
    },
  };
}
