import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Machine } from '../../src/disk/machine.js';
import {
  findPlatform,
  platformFile,
  registerPlatform,
  unregisterPlatform,
  type PlatformRegistration,
} from '../../src/disk/platform-registration.js';
import { temporaryFolder } from './temporary-folder.js';

const PLATFORM: PlatformRegistration = {
  id: 'p-1',
  api_url: 'http://127.0.0.1:8545',
  rpc_url: 'http://127.0.0.1:8546',
  pid: 7,
  client_id: 'dev',
  client_secret: 'dev-secret',
};

function machine(processes: Readonly<Record<number, string>>, over: Partial<Machine> = {}): Machine {
  return { host: 'host-1', boot: 'boot-1', pid: 1, startOf: (pid) => processes[pid], ...over };
}

describe('where the platform of a folder runs', () => {
  it('is unknown in a new folder', async () => {
    expect(await findPlatform(temporaryFolder())).toBeUndefined();
  });

  it('is written private, found while the process lives, and stale after its death', async () => {
    const root = temporaryFolder();
    await registerPlatform(root, PLATFORM, machine({ 7: 'start' }));
    expect(statSync(platformFile(root)).mode & 0o777).toBe(0o600);
    expect(await findPlatform(root, machine({ 7: 'start' }))).toEqual({
      registration: PLATFORM,
      state: 'running',
    });
    expect((await findPlatform(root, machine({})))?.state).toBe('stale');
    expect((await findPlatform(root, machine({ 7: 'another' })))?.state).toBe('stale');
    expect((await findPlatform(root, machine({ 7: 'start' }, { host: 'host-2' })))?.state).toBe('foreign');
  });

  it('is found for a process of this machine', async () => {
    const root = temporaryFolder();
    await registerPlatform(root, {
      ...PLATFORM,
      pid: process.pid,
      console_url: 'http://127.0.0.1:8545/console',
    });
    expect(await findPlatform(root)).toMatchObject({
      state: 'running',
      registration: { pid: process.pid, console_url: 'http://127.0.0.1:8545/console' },
    });
  });

  it('is not taken from a platform that runs, but from one that died', async () => {
    const root = temporaryFolder();
    await registerPlatform(root, PLATFORM, machine({ 7: 'start' }));
    const next = { ...PLATFORM, pid: 8 };
    await expect(registerPlatform(root, next, machine({ 7: 'start', 8: 'later' }))).rejects.toMatchObject({
      code: 'PLATFORM_RUNNING',
    });
    await registerPlatform(root, next, machine({ 8: 'later' }));
    expect((await findPlatform(root, machine({ 8: 'later' })))?.registration.pid).toBe(8);
  });

  it('is taken away by its own process only', async () => {
    const root = temporaryFolder();
    await registerPlatform(root, PLATFORM, machine({ 7: 'start' }));
    await unregisterPlatform(root, 8);
    expect(readFileSync(platformFile(root), 'utf8')).toContain('p-1');
    await unregisterPlatform(root, 7);
    await unregisterPlatform(root, 7);
    expect(await findPlatform(root)).toBeUndefined();
  });

  it.each(['', 'null', '{"pid":7}', '{"pid":"7"', '[]'])('is unknown when the file says %j', async (text) => {
    const root = temporaryFolder();
    mkdirSync(dirname(platformFile(root)));
    writeFileSync(platformFile(root), text, { mode: 0o600 });
    expect(await findPlatform(root)).toBeUndefined();
  });

  it('is refused when others could read the key', async () => {
    const root = temporaryFolder();
    await registerPlatform(root, PLATFORM, machine({ 7: 'start' }));
    chmodSync(platformFile(root), 0o644);
    await expect(findPlatform(root)).rejects.toMatchObject({ code: 'STATE_UNSAFE' });
  });
});
