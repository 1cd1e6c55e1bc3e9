import { messageOf, WindlassError } from '../model/error.js';
import type { Journal } from '../execute/ports.js';
import { CHAIN_START, decodeJournal, encodeEvents } from '../state/codec.js';
import type { JournalEvent } from '../state/event.js';
import { openAppendFile, type AppendFile } from './append-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readPrivateFile } from './private-file.js';

const NEWLINE = 0x0a;

/** Which journal was read: its length, and the end of the chain that covers all of it. */
export interface JournalMark {
  readonly sizeBytes: number;
  readonly validBytes: number;
  readonly hash: string;
}

/** A journal that may be appended to. */
export interface OpenJournal {
  /** What it held when it was opened, oldest first; undefined when that is what the mark it was opened with stands for. */
  readonly events: readonly JournalEvent[] | undefined;
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
 * @param known what the holder of the run lock has read of it just before: the same is not decoded a second time
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function openJournal(
  path: string,
  disk: Disk = REAL_DISK,
  known?: JournalMark,
): Promise<OpenJournal> {
  const file = await openAppendFile(path, disk);
  try {
    const { events, hash, validBytes, sizeBytes } = readOnce(file.takeBytes(), known);
    const cutBytes = sizeBytes - validBytes;
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

function readOnce(
  bytes: Uint8Array,
  known: JournalMark | undefined,
): JournalMark & Pick<OpenJournal, 'events'> {
  if (known !== undefined && known.sizeBytes === bytes.length && endsAsMarked(bytes, known))
    return { ...known, events: undefined };
  return { ...decodeJournal(bytes), sizeBytes: bytes.length };
}

/** True when the last whole record carries the marked hash, which covers everything before it. */
function endsAsMarked(bytes: Uint8Array, { hash, validBytes }: JournalMark): boolean {
  if (validBytes === 0) return hash === CHAIN_START;
  const start = bytes.lastIndexOf(NEWLINE, validBytes - 2) + 1;
  const opening = Buffer.from(`{"h":"${hash}"`);
  return opening.equals(bytes.subarray(start, start + opening.length));
}

/**
 * The events of a journal without opening it for writing, and its mark, or undefined when there is none; a torn end is
 * left as it is, and a run may be appending meanwhile.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function readJournal(
  path: string,
  disk: Disk = REAL_DISK,
): Promise<{ readonly events: readonly JournalEvent[]; readonly mark: JournalMark } | undefined> {
  const bytes = await readPrivateFile(path, disk);
  if (bytes === undefined) return undefined;
  const { events, hash, validBytes } = decodeJournal(bytes);
  return { events, mark: { hash, validBytes, sizeBytes: bytes.length } };
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
