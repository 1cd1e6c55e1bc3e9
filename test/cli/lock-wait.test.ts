import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeState, type LockFlags, type TakenState } from '../../src/cli/lock-wait.js';
import type { Session } from '../../src/cli/session.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { temporaryFolder } from '../disk/temporary-folder.js';
import { acquireRunLock } from '../../src/disk/run-lock.js';
import { statePaths } from '../../src/disk/state-paths.js';
import { THIS_MACHINE } from '../../src/disk/machine.js';
import { TARGET } from '../state/journal-events.js';

/** Takes the lock of a folder as a command does; what it tells people goes into `lines`. */
function take(root: string, run: string, flags: LockFlags, lines: string[] = []): Promise<TakenState> {
  const place = { root, planFile: 'windlass.yaml', environment: 'test' };
  // Of `local`: nobody asks whose credentials it has.
  const session = { place, target: TARGET, plan: { environment: { name: 'local' } } };
  const terminal = {
    err: { write: (text: string) => lines.push(text) },
    env: {},
    interruption: { signal: new AbortController().signal, hold: () => () => undefined },
  };
  const parts = { session: session as unknown as Session, terminal: terminal as unknown as Terminal };
  return takeState({ ...parts, run, flags });
}

test('a run that holds the lock is not waited for unless that was asked', async () => {
  const root = join(temporaryFolder(), 'plan');
  const first = await take(root, 'r1', {});
  const lines: string[] = [];
  await expect(take(root, 'r2', {}, lines)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  expect(lines).toEqual([]);
  await first.close();
});

test('a run that waits says for whom, and begins when that one has ended', async () => {
  const root = join(temporaryFolder(), 'plan');
  const first = await take(root, 'r1', {});
  const lines: string[] = [];
  const waiting = take(root, 'r2', { lockTimeout: 60_000 }, lines);
  await expect
    .poll(() => lines.join(''))
    .toMatch(/Run r1 holds the lock: process \d+ on .*\. Waiting for it/);
  await first.close();
  await (await waiting).close();
  expect(lines).toHaveLength(1);
});

test('a run that waits is refused, naming the holder, when its time is over', async () => {
  const root = join(temporaryFolder(), 'plan');
  const first = await take(root, 'r1', {});
  await expect(take(root, 'r2', { lockTimeout: 50 })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  await first.close();
});

test('a run that takes over from one that died says whose lock it was', async () => {
  const root = join(temporaryFolder(), 'plan');
  const { runLock } = statePaths({ root, planFile: 'windlass.yaml', environment: 'test' });
  const request = { run: 'r0', since: '2026-11-21T12:00:00.000Z' };
  const died = { ...THIS_MACHINE, boot: THIS_MACHINE.boot, startOf: () => 'before this test began' };
  await acquireRunLock(runLock, request, died);
  const lines: string[] = [];
  await (await take(root, 'r1', {}, lines)).close();
  expect(lines.join('')).toMatch(/Run r0 \(process \d+ on .*\) died.*took over/);
});
