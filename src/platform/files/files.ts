import type { Writer } from '../state/records.js';

/** A file to keep. */
export interface NewFile {
  readonly org: string;
  /** Last part of its URL: letters, digits, dot, dash, underscore; others are replaced. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A file that lies on disk; nothing tells of it yet. */
export interface PutFile {
  readonly org: string;
  /** `/files/<sha256>/<name>`. */
  readonly path: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Uploaded sources, images and metadata documents: on disk, named by content, served under `/files/`. */
export interface Files {
  /** Writes the bytes to disk, synced. @throws ServiceError 413 when the organisation has no room for them */
  put(file: NewFile): Promise<PutFile>;
  /** Absolute URL of a recorded path, on today's base address. */
  url(path: string): string;
  /** The bytes of a recorded path. @throws when they are gone */
  read(path: string): Promise<Uint8Array>;
  /**
   * Records who put a file, its content type and its size; inside the transaction that records the path.
   *
   * @throws ServiceError 413 when the organisation has no room left for it
   */
  keep(writer: Writer, file: PutFile): Promise<void>;
}
