import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoTurn, Turns } from '../../../src/platform/chain/reads/turns.js';

const PATIENCE = 60_000;

/** Tasks that end when they are told to, in the order they began. */
function openTurns(rules: ConstructorParameters<typeof Turns>[0], mayBegin?: () => boolean) {
  const turns = new Turns(rules, mayBegin);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (owner: string, patience = PATIENCE): Promise<void> =>
    turns.run(owner, patience, () => {
      began.push(owner);
      return new Promise((resolve) => ends.push(resolve));
    });
  /** Ends the task that began first of those that run, and lets what follows begin. */
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, began, ask, end };
}

describe('tasks of several owners', () => {
  it('take turns, however many one owner has waiting', async () => {
    const { began, ask, end } = openTurns({ atATime: 1, perOwner: 1, waiting: 500 });
    for (let count = 0; count < 250; count += 1) void ask('hog');
    void ask('guest');
    void ask('other');
    await new Promise((resolve) => setImmediate(resolve));
    await end();
    await end();
    await end();
    expect(began).toEqual(['hog', 'guest', 'other', 'hog']);
  });

  it('never run more than there are places, in all and for one owner, and all run in the end', async () => {
    const owners = array(constantFrom('a', 'b', 'c'), { maxLength: 30 });
    const places = integer({ min: 1, max: 4 });
    await assert(
      asyncProperty(owners, places, places, async (asked, atATime, perOwner) => {
        const turns = new Turns({ atATime, perOwner, waiting: 100 });
        const running = new Map<string, number>();
        const task = (owner: string) => async (): Promise<void> => {
          running.set(owner, (running.get(owner) ?? 0) + 1);
          const all = [...running.values()].reduce((sum, count) => sum + count, 0);
          expect(all).toBeLessThanOrEqual(atATime);
          expect(running.get(owner)).toBeLessThanOrEqual(perOwner);
          await new Promise((resolve) => setImmediate(resolve));
          running.set(owner, (running.get(owner) ?? 1) - 1);
        };
        await Promise.all(asked.map((owner) => turns.run(owner, PATIENCE, task(owner))));
        expect(turns.running).toBe(0);
      }),
    );
  });

  it('are refused beyond what one owner may have waiting, and when they have waited too long', async () => {
    const { ask, end } = openTurns({ atATime: 1, perOwner: 1, waiting: 1 });
    void ask('a');
    const late = ask('a', 20);
    await expect(ask('a')).rejects.toMatchObject({ reason: 'crowded' });
    await expect(late).rejects.toMatchObject({ reason: 'late' });
    await expect(late).rejects.toBeInstanceOf(NoTurn);
    void ask('b');
    await end();
    await end();
  });

  it('begin when they may begin again', async () => {
    let may = false;
    const { turns, began, ask } = openTurns({ atATime: 2, perOwner: 2, waiting: 10 }, () => may);
    void ask('a');
    expect(began).toEqual([]);
    may = true;
    turns.advance();
    await new Promise((resolve) => setImmediate(resolve));
    expect(began).toEqual(['a']);
  });
});
