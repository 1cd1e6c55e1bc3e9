/** The queue of versions to compile. */
export interface CompileQueue {
  /** Wakes the queue: a version was recorded as `compile_queued`. */
  wake(): void;
  /** Whether the job at a place of the queue is being worked on. */
  isWorkingOn(place: number): boolean;
}

/** What a queue has taken and not recorded, so that it is not taken twice. */
export interface Taken {
  /** Places of the jobs. */
  readonly places: readonly number[];
  /** How many jobs of a lane are being worked on, where any are. */
  readonly lanes: readonly (readonly [lane: string, running: number])[];
}

/** Where a queue takes its jobs from, and where their results go. */
export interface JobSource<Job, Result> {
  /** The oldest waiting job of the lane that has the fewest at work; undefined when none waits that is not taken. */
  next(taken: Taken): Promise<Job | undefined>;
  /** Place of a job in the queue; grows. */
  place(job: Job): number;
  /** Whose job it is. Lanes take turns, and none waits for another's results. */
  lane(job: Job): string;
  work(job: Job): Promise<Result>;
  /** Records a result. Called in the order of a lane, so that ids come out the same on every machine. */
  finish(job: Job, result: Result): Promise<void>;
}

/** A running queue. */
export interface RunningQueue extends CompileQueue {
  /** Takes no new job; what is under way is dropped and found again at the next start. */
  stop(): void;
}

/**
 * Runs jobs, some at a time, and finishes those of a lane in order. A job whose work throws stays waiting until the
 * next start.
 *
 * @param failed told of every throw
 */
export function runQueue<Job, Result>(
  source: JobSource<Job, Result>,
  limit: number,
  failed: (cause: unknown) => void,
): RunningQueue {
  const state = { stopped: false, looking: false, again: false };
  const taken = new Map<number, 'at work' | 'dropped'>();
  const working = new Map<number, string>();
  const inOrder = lanes();
  const record = async (job: Job, work: Promise<Result>, before: Promise<void>): Promise<void> => {
    try {
      const [result] = await Promise.all([work, before]);
      if (state.stopped) return;
      await source.finish(job, result);
      taken.delete(source.place(job));
    } catch (cause) {
      taken.set(source.place(job), 'dropped');
      if (!state.stopped) failed(cause);
    }
  };
  const start = (job: Job): void => {
    const [place, lane] = [source.place(job), source.lane(job)];
    taken.set(place, 'at work');
    working.set(place, lane);
    const work = source.work(job);
    inOrder(lane, (before) => record(job, work, before));
    const free = (): void => {
      working.delete(place);
      void look();
    };
    work.then(free, free);
  };
  const look = async (): Promise<void> => {
    state.again = true;
    if (state.looking) return;
    state.looking = true;
    while (state.again && !state.stopped && working.size < limit) {
      state.again = false;
      const job = await source
        .next({ places: [...taken.keys()], lanes: counted(working) })
        .catch((cause: unknown) => {
          failed(cause);
          return undefined;
        });
      if (job === undefined || state.stopped) continue;
      state.again = true;
      start(job);
    }
    state.looking = false;
  };
  void look();
  return {
    wake: () => void look(),
    isWorkingOn: (place) => taken.get(place) === 'at work',
    stop: () => {
      state.stopped = true;
    },
  };
}

/** Runs what belongs to a lane with the end of what was run before it there; forgets lanes that are empty. */
function lanes(): (lane: string, run: (before: Promise<void>) => Promise<void>) => void {
  const last = new Map<string, Promise<void>>();
  return (lane, run) => {
    const ended = run(last.get(lane) ?? Promise.resolve());
    last.set(lane, ended);
    void ended.then(() => last.get(lane) === ended && last.delete(lane));
  };
}

function counted(working: ReadonlyMap<number, string>): Taken['lanes'] {
  const counts = new Map<string, number>();
  for (const lane of working.values()) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return [...counts];
}
