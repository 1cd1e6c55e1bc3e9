import { expect, test } from 'vitest';
import { endOfTurn } from '../../src/remote/turn.js';

test('who waits for the end of one turn goes on together, a piece of each after the other', async () => {
  const seen: string[] = [];
  const work = async (name: string): Promise<void> => {
    await endOfTurn();
    seen.push(`${name} goes on`);
    await Promise.resolve();
    seen.push(`${name} goes further`);
  };
  const later = new Promise((resolve) => process.nextTick(resolve)).then(() => work('second'));
  await Promise.all([work('first'), later]);
  expect(seen).toEqual(['first goes on', 'second goes on', 'first goes further', 'second goes further']);
});

test('who comes after the end of a turn waits for that of the next', async () => {
  const first = endOfTurn();
  await first;
  const second = endOfTurn();
  expect(second).not.toBe(first);
  await expect(second).resolves.toBeUndefined();
});
