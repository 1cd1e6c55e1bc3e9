import type { Readable } from 'node:stream';
import type { Writer } from '../state/records.js';

/** A file to keep. */
export interface NewFile {
  readonly org: string;
  /** Last part of its URL: letters, digits, dot, dash, underscore; others are replaced. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A file that is ready to be kept; nothing tells of it yet. */
export interface PutFile {
  readonly org: string;
  /** `/files/<sha256>/<name>`. */
  readonly path: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
  /** The whole of it, when it goes into the records and not onto the disk. */
  readonly text?: string;
}

/**
 * Uploaded sources, images and metadata documents, named by content, served under `/files/`. They lie on disk, but for
 * small JSON documents: those are rows, which share the commit of what tells of them.
 */
export interface Files {
  /**
   * Writes the bytes to disk, synced, unless they are a row's. Whoever puts a file says in the end what became of it.
   *
   * @throws QuotaUsed 507 when the organisation has no room for them
   */
  put(file: NewFile): Promise<PutFile>;
  /** Ends what was put: what nobody came to keep is removed. */
  release(files: readonly PutFile[], kept: boolean): Promise<void>;
  /** Absolute URL of a recorded path, on today's base address. */
  url(path: string): string;
  /** The bytes of a recorded path. @throws when they are gone */
  read(path: string): Promise<Uint8Array>;
  /** The bytes of a recorded path one after another, so that a large file is never in memory. @throws when they are gone */
  open(path: string): Promise<{ readonly size: number; readonly stream: Readable }>;
  /**
   * Records who put a file, its content type, its size and what is not on disk; inside the transaction that records the path.
   *
   * @throws QuotaUsed 507 when the organisation has no room left for it
   */
  keep(writer: Writer, file: PutFile): Promise<void>;
}
