import { REAL_DISK, type Disk, type OpenFile } from './disk.js';
import { writeAll } from './atomic-file.js';
import { readPieces, type ByteRange, type TakePiece } from './file-pieces.js';
import { fileFailure, openForAppending } from './private-file.js';

/** A file that only grows, by whole lines. */
export interface AppendFile {
  /** Length of what the file held when it was opened. */
  readonly sizeBytes: number;
  /** Hands on what the file held when it was opened, in pieces, each good until the next. @throws STATE_WRITE */
  read(take: TakePiece, range?: ByteRange): Promise<void>;
  /** Drops everything after the first `lengthBytes`; durable when it returns. Only before the first append. @throws STATE_WRITE */
  cut(lengthBytes: number): Promise<void>;
  /**
   * Adds text, which is asked for when it is written: making many texts one after the other is quicker than each amid
   * other work. Durable when it resolves; in the order of the calls; what is added in one turn of the event loop, or while
   * the disk is busy, goes in one write and one sync. After a failure nothing more is written: every later call fails
   * with the same reason, because the system forgets what it could not sync.
   */
  append(text: () => string): Promise<void>;
  /** Once an append failed: how many bytes were durable before; undefined while all went well. */
  readonly soundBytes: number | undefined;
  /** Waits for what was added, then closes. */
  close(): Promise<void>;
}

/**
 * Opens a private file (mode 0600, folder 0700, no link) for appending. What it holds is made durable first, so
 * that nothing is decided from bytes that a power loss could still take.
 *
 * @throws STATE_UNSAFE, STATE_WRITE
 */
export async function openAppendFile(path: string, disk: Disk = REAL_DISK): Promise<AppendFile> {
  const file = await openForAppending(path, disk);
  try {
    const { size } = await file.stat();
    await file.datasync();
    return new GroupedAppends(path, file, size);
  } catch (thrown) {
    await file.close();
    throw fileFailure(path, thrown);
  }
}

/** The end of this turn of the event loop: what follows from one message, or came with it, shares a sync. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

class GroupedAppends implements AppendFile {
  readonly sizeBytes: number;
  readonly #path: string;
  readonly #file: OpenFile;
  #waiting: (() => string)[] = [];
  /** The group that takes new text; settled when its sync is. */
  #group: Promise<void> | undefined;
  #durableBytes: number;
  #failed = false;
  /** The group on its way to the disk. */
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, file: OpenFile, sizeBytes: number) {
    this.#path = path;
    this.#file = file;
    this.sizeBytes = sizeBytes;
    this.#durableBytes = sizeBytes;
  }

  read(take: TakePiece, range?: ByteRange): Promise<void> {
    return readPieces(this.#path, this.#file, range ?? { from: 0, to: this.sizeBytes }, take);
  }

  get soundBytes(): number | undefined {
    return this.#failed ? this.#durableBytes : undefined;
  }

  async cut(lengthBytes: number): Promise<void> {
    try {
      await this.#file.truncate(lengthBytes);
      await this.#file.sync();
      this.#durableBytes = lengthBytes;
    } catch (thrown) {
      throw fileFailure(this.#path, thrown);
    }
  }

  append(text: () => string): Promise<void> {
    this.#waiting.push(text);
    if (this.#group === undefined) {
      const group = this.#writing.then(turn).then(() => this.#flush());
      this.#group = group;
      this.#writing = group;
    }
    return this.#group;
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.close();
  }

  /** Never runs again after a failure: each group waits for the one before it to succeed. */
  async #flush(): Promise<void> {
    const texts = this.#waiting;
    this.#waiting = [];
    this.#group = undefined;
    let bytes: Buffer;
    try {
      bytes = Buffer.from(texts.map((text) => text()).join(''));
      await writeAll(this.#file, bytes);
      await this.#file.datasync();
    } catch (thrown) {
      this.#failed = true;
      throw thrown;
    }
    this.#durableBytes += bytes.length;
  }
}
