import { messageOf, WindlassError } from '../model/error.js';
import type { Journal } from '../execute/ports.js';
import { encodeEvents } from '../state/codec.js';
import type { JournalEvent } from '../state/event.js';
import { JournalReader, type EventSink } from '../state/journal-reader.js';
import { LineageState } from '../state/project.js';
import { CHAIN_START, recordOpening } from '../state/record.js';
import { openAppendFile, type AppendFile } from './append-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { readPieces, type TakePiece } from './file-pieces.js';
import { foldBytes } from './journal-bytes.js';
import { withPrivateFile } from './private-file.js';

/** Which journal was read: its length, and the end of the chain that covers all of it. */
export interface JournalMark {
  readonly sizeBytes: number;
  readonly validBytes: number;
  /** Where the last whole record starts. */
  readonly lastRecord: number;
  readonly hash: string;
}

/** A journal that may be appended to. */
export interface OpenJournal {
  /** What it amounts to; undefined when that is what the mark it was opened with stands for. */
  readonly state: LineageState | undefined;
  /** Length of the torn end that was cut off; 0 after a clean end. */
  readonly cutBytes: number;
  readonly journal: Journal;
  /**
   * Once an append failed: what the events that were durable before amount to, which is less than whoever recorded knows
   * of. Undefined while all went well.
   */
  readonly soundState: () => Promise<LineageState | undefined>;
  /** Waits for appends under way. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the journal, creating it when missing, and cuts a torn end off before anything can be appended after it.
 * The caller holds the run lock: two writers would break the chain.
 *
 * Appends share syncs as {@link AppendFile} says; after one fails, all later ones fail with JOURNAL_WRITE.
 *
 * @param known what the holder of the run lock has read of it just before: the same is not read a second time
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function openJournal(
  path: string,
  disk: Disk = REAL_DISK,
  known?: JournalMark,
): Promise<OpenJournal> {
  const file = await openAppendFile(path, disk);
  try {
    const { state, mark } = await readOnce(file, known);
    const cutBytes = mark.sizeBytes - mark.validBytes;
    if (cutBytes > 0) await file.cut(mark.validBytes);
    return {
      state,
      cutBytes,
      journal: new ChainedJournal(file, mark.hash),
      soundState: async () => {
        const { soundBytes } = file;
        if (soundBytes === undefined) return undefined;
        const sound = new LineageState();
        const reader = new JournalReader(sound);
        await file.read((piece) => reader.read(piece), { from: 0, to: soundBytes });
        return sound;
      },
      close: () => file.close(),
    };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function readOnce(
  file: AppendFile,
  known: JournalMark | undefined,
): Promise<{ readonly state: LineageState | undefined; readonly mark: JournalMark }> {
  if (known?.sizeBytes === file.sizeBytes && (await endsAsMarked(file, known)))
    return { state: undefined, mark: known };
  const { sizeBytes } = file;
  const read = (take: TakePiece): Promise<void> => file.read(take);
  const { sink: state, reader } = await foldBytes({ sizeBytes, read }, () => new LineageState());
  return { state, mark: markOf(reader, sizeBytes) };
}

/** True when the last whole record carries the marked hash, which covers everything before it. */
async function endsAsMarked(
  file: AppendFile,
  { hash, validBytes, lastRecord }: JournalMark,
): Promise<boolean> {
  if (validBytes === 0) return hash === CHAIN_START;
  const opening = Buffer.from(recordOpening(hash));
  let found = Buffer.alloc(0);
  await file.read((piece) => (found = Buffer.concat([found, piece])), {
    from: lastRecord,
    to: lastRecord + opening.length,
  });
  return opening.equals(found);
}

function markOf({ hash, validBytes, lastRecord }: JournalReader, sizeBytes: number): JournalMark {
  return { hash, validBytes, lastRecord, sizeBytes };
}

/** A journal as it was read. */
export interface ReadJournal {
  readonly state: LineageState;
  readonly mark: JournalMark;
  /** Reads the same events once more. @throws STATE_* */
  readonly again: (sink: EventSink) => Promise<void>;
}

/**
 * What a journal amounts to, without opening it for writing, and its mark, or undefined when there is none; a torn end is
 * left as it is, and a run may be appending meanwhile.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function readJournal(path: string, disk: Disk = REAL_DISK): Promise<ReadJournal | undefined> {
  return withPrivateFile(path, disk, async (file, sizeBytes) => {
    const read = (take: TakePiece): Promise<void> => readPieces(path, file, { from: 0, to: sizeBytes }, take);
    const { sink: state, reader } = await foldBytes({ sizeBytes, read }, () => new LineageState());
    const mark = markOf(reader, sizeBytes);
    return { state, mark, again: (sink) => readAgain(sink, path, mark, disk) };
  });
}

async function readAgain(sink: EventSink, path: string, mark: JournalMark, disk: Disk): Promise<void> {
  await withPrivateFile(path, disk, async (file) => {
    const reader = new JournalReader(sink);
    await readPieces(path, file, { from: 0, to: mark.validBytes }, (piece) => reader.read(piece));
  });
}

class ChainedJournal implements Journal {
  readonly #file: AppendFile;
  #hash: string;
  /** The last group of appends: what resolves with its sync, and the same with errors of ours. */
  #group: { readonly synced: Promise<void>; readonly kept: Promise<void> } | undefined;

  constructor(file: AppendFile, hash: string) {
    this.#file = file;
    this.#hash = hash;
  }

  append(events: readonly JournalEvent[]): Promise<void> {
    const synced = this.#file.append(() => this.#chain(events));
    if (this.#group?.synced !== synced) this.#group = { synced, kept: synced.catch(refuse) };
    return this.#group.kept;
  }

  /** Asked for in the order of the calls. */
  #chain(events: readonly JournalEvent[]): string {
    const { text, hash } = encodeEvents(this.#hash, events);
    this.#hash = hash;
    return text;
  }
}

function refuse(thrown: unknown): never {
  throw new WindlassError('JOURNAL_WRITE', `The journal cannot be written: ${messageOf(thrown)}.`, {
    cause: thrown,
  });
}
