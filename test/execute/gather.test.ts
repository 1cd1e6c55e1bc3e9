import { describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { gather } from '../../src/execute/gather.js';
import { found } from '../support/judging.js';

const service = {
  read: (request: ReadRequest) => Promise.resolve(found(request.type === 'receipt' ? request.hash : '')),
};

describe('gathering', () => {
  test('asks round by round and answers in the order of the requests', async () => {
    const rounds: readonly (readonly string[])[] = [['a', 'b'], ['c']];
    const answers = await gather(service, (sofar) => {
      const round = sofar.length === 0 ? rounds[0] : sofar.length === 2 ? rounds[1] : [];
      return (round ?? []).map((hash) => ({ type: 'receipt', hash }));
    });
    expect(answers).toEqual(['a', 'b', 'c'].map((text) => found(text)));
  });

  test('ends even when a rule never stops asking', async () => {
    const answers = await gather(service, () => [{ type: 'receipt', hash: 'a' }]);
    expect(answers.length).toBeLessThan(20);
  });

  test('passes on what the service throws', async () => {
    const broken = { read: () => Promise.reject(new Error('unreachable')) };
    await expect(gather(broken, () => [{ type: 'receipt', hash: 'a' }])).rejects.toThrow('unreachable');
  });
});
