import { lanes, TurnBook, type Head } from './turns.js';

/** The queue of versions to compile. */
export interface CompileQueue {
  /** Wakes the queue: a version was recorded as `compile_queued`. */
  wake(): void;
  /** Takes up again what could not be worked on or recorded, for instance because the disk was full. */
  retry(): void;
  /** Whether the job at a place of the queue is being worked on. */
  isWorkingOn(place: number): boolean;
}

/** Where a queue takes its jobs from, and where their results go. */
export interface JobSource<Job, Result> {
  /** The oldest waiting job of each lane, those left out that were taken. */
  heads(taken: readonly number[]): Promise<readonly Head[]>;
  /** The job at a place; undefined when it waits no longer. */
  job(place: number): Promise<Job | undefined>;
  /** Place of a job in the queue; grows. */
  place(job: Job): number;
  /** Whose job it is. Lanes take turns, and none waits for another's results. */
  lane(job: Job): string;
  work(job: Job): Promise<Result>;
  /** Records a result. Called in the order of a lane, so that ids come out the same on every machine. */
  finish(job: Job, result: Result): Promise<void>;
}

/** How much is worked on at a time. */
export interface QueueLimits {
  readonly jobs: number;
  /** Of one lane; fewer than all keep a place free for whoever has nothing at work. All by default. */
  readonly perLane?: number;
}

/** A running queue. */
export interface RunningQueue extends CompileQueue {
  /** Takes no new job; what is under way is dropped and found again at the next start. */
  stop(): void;
}

/**
 * Runs jobs, some at a time, and finishes those of a lane in order. The lane with the fewest at work has its turn, of
 * equal ones the one whose last turn is longest ago. A job whose work throws stays waiting until
 * it is retried, or the next start.
 *
 * @param failed told of every throw
 */
export function runQueue<Job, Result>(
  source: JobSource<Job, Result>,
  limits: QueueLimits,
  failed: (cause: unknown) => void,
): RunningQueue {
  const state = { stopped: false };
  const taken = new Map<number, 'at work' | 'dropped'>();
  const working = new Map<number, string>();
  const turns = new TurnBook(limits.perLane ?? limits.jobs);
  const inOrder = lanes();
  const start = (job: Job): void => {
    const [place, lane] = [source.place(job), source.lane(job)];
    taken.set(place, 'at work');
    working.set(place, lane);
    turns.note(lane);
    const work = source.work(job);
    inOrder(lane, async (before) => {
      try {
        const [result] = await Promise.all([work, before]);
        if (state.stopped) return;
        await source.finish(job, result);
        taken.delete(place);
      } catch (cause) {
        taken.set(place, 'dropped');
        if (!state.stopped) failed(cause);
      }
    });
    const free = (): void => {
      working.delete(place);
      void look();
    };
    work.then(free, free);
  };
  const next = async (): Promise<Job | undefined> => {
    const heads = await source.heads([...taken.keys()]);
    const head = turns.next(heads, [...working.values()]);
    return head && source.job(head.place);
  };
  const look = untilNothing(async () => {
    if (state.stopped || working.size >= limits.jobs) return false;
    const job = await next().catch((cause: unknown) => {
      failed(cause);
      return undefined;
    });
    if (job === undefined || state.stopped) return false;
    start(job);
    return true;
  });
  void look();
  return {
    wake: () => void look(),
    retry: () => void takeUpAgain(taken).then(look),
    isWorkingOn: (place) => taken.get(place) === 'at work',
    stop: () => {
      state.stopped = true;
    },
  };
}

async function takeUpAgain(taken: Map<number, 'at work' | 'dropped'>): Promise<void> {
  for (const [place, state] of taken) if (state === 'dropped') taken.delete(place);
}

/** Repeats a step until it had nothing to do since it was last called for; never two at a time. */
function untilNothing(step: () => Promise<boolean>): () => Promise<void> {
  const state = { running: false, again: false };
  return async () => {
    state.again = true;
    if (state.running) return;
    state.running = true;
    while (state.again) {
      state.again = false;
      state.again = (await step()) || state.again;
    }
    state.running = false;
  };
}
