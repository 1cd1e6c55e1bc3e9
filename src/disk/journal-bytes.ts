import { JournalReader, type EventSink } from '../state/journal-reader.js';
import { ChainCheck } from './chain-check.js';
import type { TakePiece } from './file-pieces.js';

/** A shorter journal is read before a thread that could help has begun. */
const LONG = 4 << 20;

/** The bytes of a journal: how many, and how they are read from the first. */
export interface JournalBytes {
  readonly sizeBytes: number;
  /** @throws STATE_WRITE; what `take` throws */
  readonly read: (take: TakePiece) => Promise<void>;
}

/** What took the events of a journal, and the reader that read all of it. */
export interface FoldedBytes<Sink extends EventSink> {
  readonly sink: Sink;
  readonly reader: JournalReader;
}

/**
 * Folds a journal. The hash chain of a long one is checked by another thread meanwhile; what was folded counts only when
 * that found the chain unbroken. Whatever else came of it, the journal is read once more, in order and by this thread
 * alone, which says what is wrong, and where.
 *
 * @param begin what takes the events: a new one for each reading
 * @throws as `JournalReader` and `LineageState` do; STATE_WRITE
 */
export async function foldBytes<Sink extends EventSink>(
  bytes: JournalBytes,
  begin: () => Sink,
): Promise<FoldedBytes<Sink>> {
  const folded = bytes.sizeBytes < LONG ? undefined : await foldBeside(bytes, begin());
  if (folded !== undefined) return folded;
  const sink = begin();
  const reader = new JournalReader(sink);
  await bytes.read((piece) => reader.read(piece));
  return { sink, reader };
}

/** Undefined when anything at all went wrong. */
async function foldBeside<Sink extends EventSink>(
  bytes: JournalBytes,
  sink: Sink,
): Promise<FoldedBytes<Sink> | undefined> {
  const reader = new JournalReader(sink, 'events');
  const check = new ChainCheck();
  try {
    await bytes.read(async (piece) => {
      if (await check.take(piece)) reader.read(piece);
      else throw new Error('the chain is broken');
    });
    const end = await check.end();
    const isWhole = end?.hash === reader.hash && end.validBytes === reader.validBytes;
    return isWhole ? { sink, reader } : undefined;
  } catch {
    return undefined;
  } finally {
    await check.close();
  }
}
