import type { Digest } from '../model/canonical.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import { HASH_DIGITS, OPENING, recordOpening } from '../state/record.js';
import { writeAtomically } from './atomic-file.js';
import type { Disk } from './disk.js';
import { readRange } from './file-pieces.js';
import type { JournalMark } from './journal-file.js';
import { digestOfFile } from './lockfile-bytes.js';
import { sidecarPath, type LockfileDigests } from './lockfile-files.js';
import { readPrivateFile, withPrivateFile } from './private-file.js';
import type { StatePaths } from './state-paths.js';

const NEWLINE = 0x0a;

/** Where a record is looked for first, in bytes from the end of the journal. */
const NEAR = 1 << 16;

/** A record of a journal. Its hash covers all before it, so that two journals with it begin alike. */
interface RecordPlace {
  readonly start: number;
  readonly hash: string;
}

/**
 * Remembers that a lockfile was written from this journal, all of which is durable. It spares who reads the two the work
 * of telling so, and licenses nothing else: without it, or with a damaged one, the lockfile is compared as a whole. It
 * stays true whatever happens to either, for it names both by their digests.
 *
 * @param lockfile written before the journal's end was made durable, so that it holds nothing that the journal lacks
 */
export async function markLockfile(paths: StatePaths, lockfile: LockfileDigests, disk: Disk): Promise<void> {
  try {
    const record = await lastRecordOf(paths.journal, disk);
    if (record === undefined) return;
    const { main, batches } = lockfile;
    const mark = { version: 1, record, main, batches: Object.fromEntries(batches) };
    const text = `${JSON.stringify(mark, undefined, 2)}\n`;
    if ((await readMark(paths, disk)) === text) return;
    await writeAtomically(paths.lockfileMark, text, 0o600, disk);
  } catch {
    // The next run is slower to begin, and that is all: no release is to fail for it.
  }
}

/**
 * True when the lockfile and its sidecars are, byte for byte, what was written from a beginning of this journal; false
 * says nothing.
 *
 * @param journal as it was read, its chain unbroken
 * @throws STATE_UNSAFE for links in their places; STATE_WRITE
 */
export async function isMarkedLockfile(
  paths: StatePaths,
  journal: JournalMark,
  disk: Disk,
): Promise<boolean> {
  const mark = parseMark(await readMark(paths, disk));
  if (mark === undefined || !(await hasRecord(paths.journal, journal, mark.record, disk))) return false;
  if ((await digestOfFile(paths.lockfile, disk)) !== mark.main) return false;
  for (const [batch, digest] of mark.batches)
    if ((await digestOfFile(sidecarPath(paths, batch), disk)) !== digest) return false;
  return true;
}

async function readMark({ lockfileMark }: StatePaths, disk: Disk): Promise<string | undefined> {
  const bytes = await readPrivateFile(lockfileMark, disk).catch(() => undefined);
  return bytes && Buffer.from(bytes).toString('utf8');
}

function parseMark(text = ''): ({ readonly record: RecordPlace } & LockfileDigests) | undefined {
  const mark = parseJson(text);
  const record = member(mark, 'record');
  const [start, hash] = [member(record, 'start'), textMember(record, 'hash')];
  const [main, batches] = [textMember(mark, 'main'), member(mark, 'batches')];
  if (member(mark, 'version') !== 1 || !Number.isSafeInteger(start) || hash?.length !== HASH_DIGITS) return;
  if (main === undefined || !isJsonObject(batches)) return;
  return {
    record: { start: Number(start), hash },
    main: main as Digest,
    batches: new Map(Object.entries(batches) as [string, Digest][]),
  };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The last record; undefined when there is none, or what stands at the end is none. */
async function lastRecordOf(path: string, disk: Disk): Promise<RecordPlace | undefined> {
  return withPrivateFile(path, disk, async (file, sizeBytes) => {
    for (let reach = NEAR; ; reach *= 4) {
      const from = Math.max(0, sizeBytes - reach);
      const end = await readRange(path, file, { from, to: sizeBytes });
      if (end.at(-1) !== NEWLINE) return undefined;
      const start = end.lastIndexOf(NEWLINE, -2) + 1;
      if (start === 0 && from > 0) continue;
      const hash = end.toString('latin1', start + OPENING.length, start + OPENING.length + HASH_DIGITS);
      return { start: from + start, hash };
    }
  });
}

/** True when a journal holds a record: then it begins as the one did that ended with it. */
async function hasRecord(
  path: string,
  { lastRecord, validBytes }: JournalMark,
  { start, hash }: RecordPlace,
  disk: Disk,
): Promise<boolean> {
  if (validBytes === 0 || start < 0 || start > lastRecord) return false;
  const from = Math.max(0, start - 1);
  const wanted = Buffer.from(`${start === 0 ? '' : '\n'}${recordOpening(hash)}`);
  const to = Math.min(from + wanted.length, validBytes);
  const found = await withPrivateFile(path, disk, (file) => readRange(path, file, { from, to }));
  return found !== undefined && wanted.equals(found);
}
