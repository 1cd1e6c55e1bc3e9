import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomically } from '../../src/disk/atomic-file.js';
import { faultyDisk, systemError, type Faults } from './faulty-disk.js';
import { temporaryFolder } from './temporary-folder.js';

describe('putting a file in place', () => {
  it('creates it or replaces it whole, with the mode asked for', async () => {
    const path = join(temporaryFolder(), 'a.json');
    await writeAtomically(path, 'one');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await writeAtomically(path, Buffer.from('two'), 0o644);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(readFileSync(path, 'utf8')).toBe('two');
  });

  it('syncs the bytes before the name changes, and the name after', async () => {
    const calls: string[] = [];
    const disk = faultyDisk({
      write: (sizeBytes) => (calls.push('write'), sizeBytes),
      sync: () => calls.push('sync'),
      rename: () => calls.push('rename'),
    });
    await writeAtomically(join(temporaryFolder(), 'a'), 'x', 0o600, disk);
    expect(calls).toEqual(['write', 'sync', 'rename', 'sync']);
  });

  it.each<[string, Faults]>([
    ['full', { write: () => raise('ENOSPC') }],
    ['full and silent about it', { write: () => 0 }],
    ['failing to sync', { sync: () => raise('EIO') }],
    ['failing to rename', { rename: () => raise('EXDEV') }],
  ])('leaves the old file and nothing else on a disk that is %s', async (_, faults) => {
    const folder = temporaryFolder();
    const path = join(folder, 'a.json');
    await writeAtomically(path, 'old');
    await expect(writeAtomically(path, 'new', 0o600, faultyDisk(faults))).rejects.toMatchObject({
      code: 'STATE_WRITE',
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('writes everything though the disk takes a few bytes at a time', async () => {
    const path = join(temporaryFolder(), 'a');
    const text = 'abcdefghij'.repeat(20);
    await writeAtomically(path, text, 0o600, faultyDisk({ write: (sizeBytes) => Math.min(7, sizeBytes) }));
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('refuses a link, even a dangling one, and a folder in its place', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real'), 'mine');
    symlinkSync('real', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['link', 'dangling', 'folder']) {
      await expect(writeAtomically(join(folder, name), 'new')).rejects.toMatchObject({
        code: 'STATE_UNSAFE',
      });
    }
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('mine');
  });
});

function raise(code: string): never {
  throw systemError(code);
}
