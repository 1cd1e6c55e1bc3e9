import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRateLimiter } from '../../src/remote/rate.js';
import { jumpingClock } from './support.js';

test('without a limit nothing waits', async () => {
  const clock = jumpingClock();
  const limiter = openRateLimiter(undefined, clock);
  await Promise.all(Array.from({ length: 1000 }, () => limiter.acquire('read')));
  expect(clock.sleptMs).toBe(0);
});

test('no window of the service ever sees more than the limit, however the network delays requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.record({ there: fc.nat(900), back: fc.nat(900) }), { minLength: 1, maxLength: 40 }),
      async (requests, trips) => {
        const clock = jumpingClock();
        const limiter = openRateLimiter({ requests, windowMs: 1000 }, clock);
        const arrivals: number[] = [];
        const travel = async ({ there, back }: { there: number; back: number }): Promise<void> => {
          const release = await limiter.acquire('read');
          await clock.sleep(there);
          arrivals.push(clock.nowMs());
          await clock.sleep(back);
          release();
        };
        await Promise.all(trips.map(travel));
        expect(arrivals).toHaveLength(trips.length);
        const sorted = arrivals.sort((a, b) => a - b);
        for (const [index, time] of sorted.entries()) {
          const next = sorted[index + requests];
          if (next !== undefined) expect(next - time).toBeGreaterThan(1000);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('writes that wait go before reads that wait', async () => {
  const limiter = openRateLimiter({ requests: 1, windowMs: 1000 }, jumpingClock());
  const order: string[] = [];
  const pass = async (name: string, urgency: 'read' | 'write'): Promise<void> => {
    const release = await limiter.acquire(urgency);
    order.push(name);
    release();
  };
  await Promise.all([
    pass('first', 'read'),
    pass('read 1', 'read'),
    pass('read 2', 'read'),
    pass('write 1', 'write'),
    pass('write 2', 'write'),
  ]);
  expect(order).toEqual(['first', 'write 1', 'write 2', 'read 1', 'read 2']);
});

test('a pause stops everything, and a longer one replaces a shorter', async () => {
  const clock = jumpingClock();
  const limiter = openRateLimiter(undefined, clock);
  limiter.pause(5000);
  limiter.pause(60_000);
  limiter.pause(1000);
  await limiter.acquire('write');
  expect(clock.sleptMs).toBe(60_000);
});

test('releasing twice frees one place', async () => {
  const clock = jumpingClock();
  const limiter = openRateLimiter({ requests: 2, windowMs: 1000 }, clock);
  const release = await limiter.acquire('read');
  release();
  release();
  await limiter.acquire('read');
  await limiter.acquire('read');
  expect(clock.sleptMs).toBeGreaterThan(1000);
});

test('who is stopped while it waits leaves its place to the others', async () => {
  const limiter = openRateLimiter({ requests: 1, windowMs: 1000 }, jumpingClock());
  const stop = new AbortController();
  const first = await limiter.acquire('write');
  const second = limiter.acquire('write', stop.signal);
  const third = limiter.acquire('read');
  stop.abort();
  await expect(second).rejects.toThrow('stopped');
  await expect(limiter.acquire('write', stop.signal)).rejects.toThrow('stopped');
  first();
  expect(await third).toBeTypeOf('function');
});
