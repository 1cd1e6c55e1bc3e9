import type { Writer } from '../state/records.js';

/** A file to keep. */
export interface NewFile {
  readonly org: string;
  /** Last part of its URL: letters, digits, dot, dash, underscore; others are replaced. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Uploaded sources, images and metadata documents: on disk, named by content, served under `/files/`. */
export interface Files {
  /** Writes the bytes to disk (synced) and answers the path to record, `/files/<sha256>/<name>`. */
  put(file: NewFile): Promise<string>;
  /** Absolute URL of a recorded path, on today's base address. */
  url(path: string): string;
  /** The bytes of a recorded path. @throws when they are gone */
  read(path: string): Promise<Uint8Array>;
  /** Records who put a file and its content type; inside the transaction that records the path. */
  keep(writer: Writer, org: string, path: string, contentType: string): Promise<void>;
}
