import { describe, expect, it } from 'vitest';
import { runQueue, type JobSource, type QueueLimits } from '../../src/platform/compiler/queue.js';
import type { Head } from '../../src/platform/compiler/turns.js';

interface Job {
  readonly place: number;
  readonly org: string;
}

/** A queue over jobs in memory, whose work ends when it is told to. */
function openQueue(waiting: readonly Job[], limit: number | QueueLimits) {
  const jobs = new Set(waiting);
  const begun: number[] = [];
  const recorded: number[] = [];
  const ends = new Map<number, (isFine: boolean) => void>();
  const source: JobSource<Job, number> = {
    heads: async (taken) => {
      const heads = new Map<string, Head>();
      for (const { place, org } of [...jobs].sort((a, b) => a.place - b.place))
        if (!taken.includes(place) && !heads.has(org)) heads.set(org, { lane: org, place });
      return [...heads.values()];
    },
    job: async (place) => [...jobs].find((job) => job.place === place),
    place: (job) => job.place,
    lane: (job) => job.org,
    work: (job) => {
      begun.push(job.place);
      return new Promise((resolve, reject) => {
        ends.set(job.place, (isFine) => (isFine ? resolve(job.place) : reject(new Error('no disk'))));
      });
    },
    finish: async (job) => {
      recorded.push(job.place);
      jobs.delete(job);
    },
  };
  const failures: unknown[] = [];
  const queue = runQueue(source, typeof limit === 'number' ? { jobs: limit } : limit, (cause) =>
    failures.push(cause),
  );
  const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  const end = async (place: number, isFine = true): Promise<void> => {
    ends.get(place)?.(isFine);
    await quiet();
  };
  const add = (job: Job): Set<Job> => jobs.add(job);
  return { queue, begun, recorded, failures, add, end, quiet };
}

const ours = (place: number): Job => ({ place, org: 'ours' });
const theirs = (place: number): Job => ({ place, org: 'theirs' });

describe('a queue of several organisations', () => {
  it('takes turns: many of one do not stand before the first of another', async () => {
    const { begun, end, quiet } = openQueue([theirs(1), theirs(2), theirs(3), theirs(4), ours(5)], 2);
    await quiet();
    expect(begun).toEqual([1, 5]);
    await end(5);
    expect(begun).toEqual([1, 5, 2]);
  });

  it('records the results of each in its order, and lets none wait for another’s', async () => {
    const { begun, recorded, end, quiet } = openQueue([theirs(1), ours(2), theirs(3), ours(4)], 4);
    await quiet();
    expect(begun.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    await end(4);
    await end(3);
    expect(recorded).toEqual([]);
    await end(2);
    expect(recorded).toEqual([2, 4]);
    await end(1);
    expect(recorded).toEqual([2, 4, 1, 3]);
  });

  it('leaves a job whose work failed for the next start, and goes on', async () => {
    const { queue, begun, recorded, failures, end, quiet } = openQueue([ours(1), ours(2)], 1);
    await quiet();
    expect([begun, queue.isWorkingOn(1)]).toEqual([[1], true]);
    await end(1, false);
    expect([begun, queue.isWorkingOn(1), failures.length]).toEqual([[1, 2], false, 1]);
    await end(2);
    queue.wake();
    await quiet();
    expect([begun, recorded]).toEqual([[1, 2], [2]]);
  });

  it('keeps a place free for whoever has nothing at work, however much another submits', async () => {
    const many = Array.from({ length: 50 }, (_, index) => theirs(index + 1));
    const { queue, begun, add, end, quiet } = openQueue(many, { jobs: 2, perLane: 1 });
    await quiet();
    expect(begun).toEqual([1]);
    add(ours(51));
    queue.wake();
    await quiet();
    expect(begun).toEqual([1, 51]);
    await end(51);
    expect(begun).toEqual([1, 51]);
    await end(1);
    expect(begun).toEqual([1, 51, 2]);
  });

  it('gives the next turn to the organisation whose last is longest ago', async () => {
    const third: Job = { place: 9, org: 'third' };
    const { begun, end, quiet } = openQueue([theirs(1), ours(2), theirs(3), ours(4), theirs(5), third], 1);
    await quiet();
    for (const place of [1, 2, 9, 3, 4]) await end(place);
    expect(begun).toEqual([1, 2, 9, 3, 4, 5]);
  });
});
