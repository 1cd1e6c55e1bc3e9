import { expect, test } from 'vitest';
import { endOfTurn } from '../../src/remote/turn.js';

test('who waits for the end of one turn goes on together, in order, after all that came in it', async () => {
  const seen: string[] = [];
  const work = async (name: string): Promise<void> => {
    seen.push(`${name} came`);
    await endOfTurn();
    seen.push(`${name} went on`);
  };
  await Promise.all([
    work('first'),
    new Promise((resolve) => process.nextTick(resolve)).then(() => work('second')),
  ]);
  expect(seen).toEqual(['first came', 'second came', 'first went on', 'second went on']);
});

test('who comes after the end of a turn waits for that of the next', async () => {
  const first = endOfTurn();
  await first;
  const second = endOfTurn();
  expect(second).not.toBe(first);
  await expect(second).resolves.toBeUndefined();
});
