import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The data folder belongs to a running platform. */
class FolderLocked extends Error {
  /** Process that holds the folder. */
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`another platform (process ${String(pid)}) uses ${folder}`);
    this.name = 'FolderLocked';
    this.pid = pid;
  }
}

interface Holder {
  readonly pid: number;
  /** Start of the process in clock ticks, where the system tells: a number that came back means another process. */
  readonly started: string;
}

/**
 * Takes the lock of a data folder and answers how to give it back. A lock whose process is gone is taken over.
 *
 * @throws Error named `FolderLocked`, with `pid`, when a living process holds it
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'platform.lock');
  const mine: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return () => {
        rmSync(path, { force: true });
      };
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code !== 'EEXIST') throw cause;
      const holder = holderOf(path);
      if (holder && isAlive(holder)) throw new FolderLocked(folder, holder.pid);
      rmSync(path, { force: true });
    }
  }
  throw new Error(`the lock of ${folder} cannot be taken`);
}

function holderOf(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    // Empty or gone: the holder died while it took the lock, or has just given it back.
    return undefined;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code === 'EPERM';
  }
  const start = startOf(pid);
  return start !== undefined && start === started;
}

/** Undefined for a process that has died but whose parent has not asked yet: without an init, that lasts. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? '');
  } catch {
    return '';
  }
}
