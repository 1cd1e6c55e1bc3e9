import * as files from 'node:fs/promises';

/** An open file, as `node:fs/promises` gives it. */
export interface OpenFile {
  write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
  readFile(): Promise<Uint8Array>;
  /** Reads into `target` from its start, as much as there is and fits, from a place in the file. */
  read(
    target: Uint8Array,
    offset: 0,
    lengthBytes: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  truncate(lengthBytes: number): Promise<void>;
  /** Resolves when the data are on the device, and the size with them. */
  datasync(): Promise<void>;
  sync(): Promise<void>;
  stat(): Promise<FileFacts>;
  close(): Promise<void>;
}

/** What is checked of a file before it is trusted. */
export interface FileFacts {
  readonly mode: number;
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/**
 * The file system, as far as the state of a lineage needs it: a part of `node:fs/promises`, so that another disk,
 * a faulty one for instance, can take its place.
 */
export interface Disk {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  /** Resolves to the first folder that was created, or undefined when all were there. */
  mkdir(
    path: string,
    options: { readonly recursive: true; readonly mode: number },
  ): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  lstat(path: string): Promise<FileFacts>;
  readdir(path: string): Promise<readonly string[]>;
}

/** The disk of this machine. */
export const REAL_DISK: Disk = files;
