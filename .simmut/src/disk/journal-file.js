import { messageOf, WindlassError } from '../model/error.js';
import { encodeEvents } from '../state/codec.js';
import { JournalReader } from '../state/journal-reader.js';
import { LineageState } from '../state/project.js';
import { CHAIN_START, recordOpening } from '../state/record.js';
import { openAppendFile } from './append-file.js';
import { REAL_DISK } from './disk.js';
import { readPieces } from './file-pieces.js';
import { withPrivateFile } from './private-file.js';
/**
 * Opens the journal, creating it when missing, and cuts a torn end off before anything can be appended after it.
 * The caller holds the run lock: two writers would break the chain.
 *
 * Appends share syncs as {@link AppendFile} says; after one fails, all later ones fail with JOURNAL_WRITE.
 *
 * @param known what the holder of the run lock has read of it just before: the same is not read a second time
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function openJournal(path, disk = REAL_DISK, known) {
    const file = await openAppendFile(path, disk);
    try {
        const { state, mark } = await readOnce(file, known);
        const cutBytes = mark.sizeBytes - mark.validBytes;
        if (cutBytes > 0)
            await file.cut(mark.validBytes);
        return {
            state,
            cutBytes,
            journal: new ChainedJournal(file, mark.hash),
            soundState: async () => {
                const { soundBytes } = file;
                if (soundBytes === undefined)
                    return undefined;
                const sound = new LineageState();
                const reader = new JournalReader(sound);
                await file.read((piece) => reader.read(piece), { from: 0, to: soundBytes });
                return sound;
            },
            close: () => file.close(),
        };
    }
    catch (thrown) {
        await file.close();
        throw thrown;
    }
}
async function readOnce(file, known) {
    if (known?.sizeBytes === file.sizeBytes && (await endsAsMarked(file, known)))
        return { state: undefined, mark: known };
    const state = new LineageState();
    const reader = new JournalReader(state);
    await file.read((piece) => reader.read(piece));
    return { state, mark: markOf(reader, file.sizeBytes) };
}
/** True when the last whole record carries the marked hash, which covers everything before it. */
async function endsAsMarked(file, { hash, validBytes, lastRecord }) {
    if (validBytes === 0)
        return hash === CHAIN_START;
    const opening = Buffer.from(recordOpening(hash));
    let found = Buffer.alloc(0);
    await file.read((piece) => (found = Buffer.concat([found, piece])), {
        from: lastRecord,
        to: lastRecord + opening.length,
    });
    return opening.equals(found);
}
function markOf({ hash, validBytes, lastRecord }, sizeBytes) {
    return { hash, validBytes, lastRecord, sizeBytes };
}
/**
 * What a journal amounts to, without opening it for writing, and its mark, or undefined when there is none; a torn end is
 * left as it is, and a run may be appending meanwhile.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNSAFE, STATE_WRITE
 */
export async function readJournal(path, disk = REAL_DISK) {
    const state = new LineageState();
    const mark = await readInto(state, path, disk);
    if (mark === undefined)
        return undefined;
    const again = async (sink) => {
        await readInto(sink, path, disk, mark.validBytes);
    };
    return { state, mark, again };
}
async function readInto(sink, path, disk, lengthBytes = Number.POSITIVE_INFINITY) {
    return withPrivateFile(path, disk, async (file, sizeBytes) => {
        const reader = new JournalReader(sink);
        const to = Math.min(sizeBytes, lengthBytes);
        await readPieces(path, file, { from: 0, to }, (piece) => reader.read(piece));
        return markOf(reader, sizeBytes);
    });
}
class ChainedJournal {
    #file;
    #hash;
    /** The last group of appends: what resolves with its sync, and the same with errors of ours. */
    #group;
    constructor(file, hash) {
        this.#file = file;
        this.#hash = hash;
    }
    /** Chains at once, so that records stand in the order of the calls, whichever group carries them. */
    append(events) {
        const { text, hash } = encodeEvents(this.#hash, events);
        this.#hash = hash;
        const synced = this.#file.append(text);
        if (this.#group?.synced !== synced)
            this.#group = { synced, kept: synced.catch(refuse) };
        return this.#group.kept;
    }
}
function refuse(thrown) {
    throw new WindlassError('JOURNAL_WRITE', `The journal cannot be written: ${messageOf(thrown)}.`, {
        cause: thrown,
    });
}
