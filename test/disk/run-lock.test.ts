import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lifeOf, ownIdentity, THIS_MACHINE, type Machine } from '../../src/disk/machine.js';
import { acquireRunLock, breakRunLock, readRunLock } from '../../src/disk/run-lock.js';
import { AT } from '../state/journal-events.js';
import { temporaryFolder } from './temporary-folder.js';

/** A machine with chosen processes: pid → start. */
function machine(
  pid: number,
  processes: Readonly<Record<number, string>>,
  over: Partial<Machine> = {},
): Machine {
  return { host: 'host-1', boot: 'boot-1', pid, startOf: (asked) => processes[asked], ...over };
}

const ALIVE = { 1: 'start-1', 2: 'start-2', 3: 'start-3' };

function lockPath(): string {
  return join(temporaryFolder(), 'env', 'run.lock');
}

function request(run: string): { readonly run: string; readonly since: string } {
  return { run, since: AT };
}

describe('the run lock', () => {
  it('is held by one run, named to the next, and free after release', async () => {
    const path = lockPath();
    const lock = await acquireRunLock(path, request('r1'), machine(1, ALIVE));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await readRunLock(path)).toEqual({
      run: 'r1',
      since: AT,
      pid: 1,
      host: 'host-1',
      boot: 'boot-1',
      started: 'start-1',
    });
    const second = acquireRunLock(path, request('r2'), machine(2, ALIVE));
    await expect(second).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await expect(second).rejects.toThrow(/r1.* 1 .*host-1/);
    await lock.release();
    expect(await readRunLock(path)).toBeUndefined();
    const third = await acquireRunLock(path, request('r3'), machine(2, ALIVE));
    expect(third.tookOver).toBeUndefined();
  });

  it('is not given twice to the same process', async () => {
    const path = lockPath();
    await acquireRunLock(path, request('r1'));
    await expect(acquireRunLock(path, request('r2'))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  });

  it.each<[string, Machine]>([
    ['died', machine(2, { 2: 'start-2' })],
    ['died and left its pid to another', machine(2, { 1: 'start-9', 2: 'start-2' })],
  ])('is taken over from a holder that %s', async (_, now) => {
    const path = lockPath();
    await acquireRunLock(path, request('r1'), machine(1, ALIVE));
    const lock = await acquireRunLock(path, request('r2'), now);
    expect(lock.tookOver?.run).toBe('r1');
    expect((await readRunLock(path))?.run).toBe('r2');
    expect(readdirSync(dirname(path))).toEqual(['run.lock']);
  });

  it.each<[string, Machine]>([
    ['is on another host', machine(2, { 2: 'start-2' }, { host: 'host-2' })],
    ['began before the machine restarted', machine(2, { 2: 'start-2' }, { boot: 'boot-2' })],
    ['cannot be asked about', machine(2, { 2: 'start-2' }, { boot: '' })],
    ['lives, though its start is unknown', machine(2, { 1: '', 2: 'start-2' })],
  ])('is never taken over from a holder that %s, however old', async (_, now) => {
    const path = lockPath();
    await acquireRunLock(path, { run: 'r1', since: '1999-01-01T00:00:00.000Z' }, machine(1, ALIVE));
    await expect(acquireRunLock(path, request('r2'), now)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect((await readRunLock(path))?.run).toBe('r1');
  });

  it('goes to exactly one of many runs that race for it', async () => {
    const path = lockPath();
    const winners = await race(path);
    expect(winners).toHaveLength(1);
    expect((await readRunLock(path))?.run).toBe(winners[0]);
  });

  it('goes to exactly one of many runs that find its holder dead', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = lockPath();
      await acquireRunLock(path, request('dead'), machine(77, { 77: 'then' }));
      const winners = await race(path);
      expect(winners).toHaveLength(1);
      expect((await readRunLock(path))?.run).toBe(winners[0]);
    }
  });

  it('is taken over though an earlier takeover died half-way', async () => {
    const path = lockPath();
    await acquireRunLock(path, request('dead'), machine(77, { 77: 'then' }));
    await acquireRunLock(`${path}.takeover`, request('dead too'), machine(78, { 78: 'then' }));
    const lock = await acquireRunLock(path, request('r2'), machine(2, ALIVE));
    expect(lock.tookOver?.run).toBe('dead');
    expect(readdirSync(dirname(path))).toEqual(['run.lock']);
  });

  it('stays with the one who holds it when a former holder releases late', async () => {
    const path = lockPath();
    const paused = await acquireRunLock(path, request('r1'), machine(1, ALIVE));
    await breakRunLock(path, 'r1', machine(2, { 2: 'start-2' }));
    await acquireRunLock(path, request('r2'), machine(2, ALIVE));
    await paused.release();
    expect((await readRunLock(path))?.run).toBe('r2');
  });

  it('that a crash left empty holds until a person frees it', async () => {
    const path = lockPath();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600 });
    await expect(acquireRunLock(path, request('r1'))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect((await readRunLock(path))?.run).toBe('unknown');
    await breakRunLock(path, 'unknown');
    expect((await acquireRunLock(path, request('r1'))).holder.run).toBe('r1');
  });
});

describe('freeing a run lock by hand', () => {
  it('frees the run that was named when it is of another host', async () => {
    const path = lockPath();
    await acquireRunLock(path, request('r1'), machine(1, ALIVE, { host: 'gone' }));
    expect((await breakRunLock(path, 'r1', machine(2, ALIVE)))?.host).toBe('gone');
    expect(readdirSync(dirname(path))).toEqual([]);
    expect(await breakRunLock(path, 'r1', machine(2, ALIVE))).toBeUndefined();
  });

  it('refuses another run, and a holder that lives here', async () => {
    const path = lockPath();
    await acquireRunLock(path, request('r1'), machine(1, ALIVE, { host: 'gone' }));
    await expect(breakRunLock(path, 'r2', machine(2, ALIVE))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    const here = lockPath();
    await acquireRunLock(here, request('r1'), machine(1, ALIVE));
    await expect(breakRunLock(here, 'r1', machine(2, ALIVE))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(readdirSync(dirname(here))).toEqual(['run.lock']);
  });
});

describe('this machine', () => {
  it('knows its own process as alive and one that was killed as dead, reaped or not', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const identity = {
      ...ownIdentity(),
      pid: pidOf(child),
      started: THIS_MACHINE.startOf(pidOf(child)) ?? '',
    };
    expect(lifeOf(ownIdentity())).toBe('alive');
    expect(lifeOf(identity)).toBe('alive');
    expect(lifeOf({ ...identity, started: 'earlier' })).toBe('dead');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(lifeOf(identity)).toBe('dead');
  });

  it('counts a killed process that nobody reaped as dead', async () => {
    const script = 'sleep 100 & echo $!; exec sleep 100';
    const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const identity = { ...ownIdentity(), pid, started: THIS_MACHINE.startOf(pid) ?? '' };
      expect(lifeOf(identity)).toBe('alive');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => lifeOf(identity)).toBe('dead');
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it.runIf(process.platform === 'linux')('is known by its boot and its number space of pids', () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    expect(THIS_MACHINE.boot).toContain(boot);
    expect(THIS_MACHINE.boot).toContain('pid:');
  });
});

/** Twenty runs that live take the lock at once; those that got it. */
async function race(path: string): Promise<readonly string[]> {
  const pids = Array.from({ length: 20 }, (_, index) => index + 1);
  const processes = Object.fromEntries(pids.map((pid) => [pid, 'now']));
  const outcomes = await Promise.allSettled(
    pids.map((pid) => acquireRunLock(path, request(`r${pid}`), machine(pid, processes))),
  );
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.holder.run] : []));
}

function pidOf(child: ChildProcess): number {
  return child.pid ?? 0;
}
