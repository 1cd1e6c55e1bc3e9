import { expect, test } from 'vitest';
import { ServiceError, type Context } from '../../src/platform/handlers/handler.js';
import { inTime } from '../../src/platform/server/deadline.js';
import type { Writer } from '../../src/platform/state/records.js';
import { EXECUTE_BEFORE } from '../../src/protocol/deadline.js';

/** Records whose transactions are kept when they end well, and a clock. */
function aPlatform() {
  const kept: string[] = [];
  const clock = { ms: 1000 };
  const transact = async <T>(fn: (writer: Writer) => Promise<T>): Promise<T> => {
    const written: string[] = [];
    const result = await fn({ run: async (sql: string) => written.push(sql) } as unknown as Writer);
    kept.push(...written);
    return result;
  };
  const context = { records: { transact } } as unknown as Context;
  const within = (deadline: string) => inTime(context, { [EXECUTE_BEFORE]: deadline }, () => clock.ms);
  return { kept, clock, context, within };
}

test('what takes until after its time, in the middle of recording too, is not recorded', async () => {
  const { kept, clock, within } = aPlatform();
  const { records } = within('1500');
  const late = records.transact(async (writer) => {
    await writer.run('late');
    clock.ms = 1501;
  });
  await expect(late).rejects.toThrow(ServiceError);
  expect(kept).toEqual([]);
});

test('what began in time is finished', async () => {
  const { kept, clock, within } = aPlatform();
  const { records } = within('1500');
  await records.transact((writer) => writer.run('first'));
  clock.ms = 9000;
  await records.transact((writer) => writer.run('second'));
  expect(kept).toEqual(['first', 'second']);
});

test('a time that cannot be read is over, and a request that names none takes as long as it takes', async () => {
  const { kept, context, within } = aPlatform();
  await expect(within('soon').records.transact((writer) => writer.run('never'))).rejects.toThrow(
    ServiceError,
  );
  await inTime(context, {}).records.transact((writer) => writer.run('some time'));
  expect(kept).toEqual(['some time']);
});
