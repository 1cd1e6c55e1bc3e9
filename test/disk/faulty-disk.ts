import { REAL_DISK, type Disk, type OpenFile } from '../../src/disk/disk.js';

/** The calls of an open file that a test may make fail, count or cut short. */
export interface Faults {
  /** Called before each write with its size; returns how many bytes the disk takes. May throw. */
  write?(sizeBytes: number): number;
  datasync?(): void;
  sync?(): void;
  rename?(): void;
}

/** The real disk, with faults at chosen calls. */
export function faultyDisk(faults: Faults): Disk {
  return {
    ...REAL_DISK,
    open: async (path, flags, mode) => faultyFile(await REAL_DISK.open(path, flags, mode), faults),
    rename: async (from, to) => {
      faults.rename?.();
      await REAL_DISK.rename(from, to);
    },
  };
}

/** A failure as the system reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk says so`), { code });
}

function faultyFile(file: OpenFile, faults: Faults): OpenFile {
  return {
    write: async (bytes) => file.write(bytes.subarray(0, faults.write?.(bytes.length) ?? bytes.length)),
    readFile: () => file.readFile(),
    read: (target, offset, length, position) => file.read(target, offset, length, position),
    truncate: (length) => file.truncate(length),
    datasync: async () => {
      faults.datasync?.();
      await file.datasync();
    },
    sync: async () => {
      faults.sync?.();
      await file.sync();
    },
    stat: () => file.stat(),
    close: () => file.close(),
  };
}
