import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFolder } from '../../src/platform/state/lock.js';

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-lock-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

test('a data folder is refused while its platform lives', () => {
  inFolder((folder) => {
    const free = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(
      expect.objectContaining({ name: 'FolderLocked', pid: process.pid }),
    );
    free();
    expect(() => lockFolder(folder)).not.toThrow();
  });
});

test.runIf(process.platform === 'linux')(
  'a data folder whose platform was killed is free although nobody has buried the process',
  async () => {
    // The shell becomes a process that never asks for its child, so the killed child stays a zombie.
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const started = statOf(pid)[19] ?? '';
    try {
      await expect.poll(() => readFileSync(`/proc/${String(parent.pid)}/comm`, 'utf8').trim()).toBe('sleep');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => statOf(pid)[0]).toBe('Z');
      inFolder((folder) => {
        writeFileSync(join(folder, 'platform.lock'), JSON.stringify({ pid, started }));
        expect(() => lockFolder(folder)).not.toThrow();
      });
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
