import { messageOf, WindlassError } from '../model/error.js';
import type { Journal } from '../execute/ports.js';
import { decodeJournal, encodeEvents } from '../state/codec.js';
import type { JournalEvent } from '../state/event.js';
import { openAppendFile, type AppendFile } from './append-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readPrivateFile } from './private-file.js';

/** A journal that may be appended to. */
export interface OpenJournal {
  /** What it held when it was opened, oldest first. */
  readonly events: readonly JournalEvent[];
  /** Length of the torn end that was cut off; 0 after a clean end. */
  readonly cutBytes: number;
  readonly journal: Journal;
  /**
   * Once an append failed: the events that were durable before, which is less than whoever recorded knows of.
   * Undefined while all went well.
   */
  readonly soundEvents: () => Promise<readonly JournalEvent[] | undefined>;
  /** Waits for appends under way. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the journal, creating it when missing, and cuts a torn end off before anything can be appended after it.
 * The caller holds the run lock: two writers would break the chain.
 *
 * Appends share syncs as {@link AppendFile} says; after one fails, all later ones fail with JOURNAL_WRITE.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function openJournal(path: string, disk: Disk = REAL_DISK): Promise<OpenJournal> {
  const file = await openAppendFile(path, disk);
  try {
    const { events, hash, validBytes } = decodeJournal(file.bytes);
    const cutBytes = file.bytes.length - validBytes;
    if (cutBytes > 0) await file.cut(validBytes);
    return {
      events,
      cutBytes,
      journal: new ChainedJournal(file, hash),
      soundEvents: async () => {
        const { soundBytes } = file;
        if (soundBytes === undefined) return undefined;
        const bytes = (await readPrivateFile(path, disk)) ?? new Uint8Array();
        return decodeJournal(bytes.subarray(0, soundBytes)).events;
      },
      close: () => file.close(),
    };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/**
 * The events of a journal without opening it for writing, or undefined when there is none; a torn end is left as
 * it is, and a run may be appending meanwhile.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function readJournal(
  path: string,
  disk: Disk = REAL_DISK,
): Promise<readonly JournalEvent[] | undefined> {
  const bytes = await readPrivateFile(path, disk);
  return bytes && decodeJournal(bytes).events;
}

class ChainedJournal implements Journal {
  readonly #file: AppendFile;
  #hash: string;

  constructor(file: AppendFile, hash: string) {
    this.#file = file;
    this.#hash = hash;
  }

  /** Chains at once, so that records stand in the order of the calls, whichever group carries them. */
  async append(events: readonly JournalEvent[]): Promise<void> {
    const { text, hash } = encodeEvents(this.#hash, events);
    this.#hash = hash;
    try {
      await this.#file.append(text);
    } catch (thrown) {
      throw new WindlassError('JOURNAL_WRITE', `The journal cannot be written: ${messageOf(thrown)}.`, {
        cause: thrown,
      });
    }
  }
}
