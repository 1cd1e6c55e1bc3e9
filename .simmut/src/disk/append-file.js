import { REAL_DISK } from './disk.js';
import { writeAll } from './atomic-file.js';
import { readPieces } from './file-pieces.js';
import { fileFailure, openForAppending } from './private-file.js';
/**
 * Opens a private file (mode 0600, folder 0700, no link) for appending. What it holds is made durable first, so
 * that nothing is decided from bytes that a power loss could still take.
 *
 * @throws STATE_UNSAFE, STATE_WRITE
 */
export async function openAppendFile(path, disk = REAL_DISK) {
    const file = await openForAppending(path, disk);
    try {
        const { size } = await file.stat();
        await file.datasync();
        return new GroupedAppends(path, file, size);
    }
    catch (thrown) {
        await file.close();
        throw fileFailure(path, thrown);
    }
}
/** The end of this turn of the event loop: what follows from one message, or came with it, shares a sync. */
function turn() {
    return new Promise((resolve) => {
        setImmediate(resolve);
    });
}
class GroupedAppends {
    sizeBytes;
    #path;
    #file;
    #waiting = [];
    /** The group that takes new text; settled when its sync is. */
    #group;
    #durableBytes;
    #failed = false;
    /** The group on its way to the disk. */
    #writing = Promise.resolve();
    constructor(path, file, sizeBytes) {
        this.#path = path;
        this.#file = file;
        this.sizeBytes = sizeBytes;
        this.#durableBytes = sizeBytes;
    }
    read(take, range) {
        return readPieces(this.#path, this.#file, range ?? { from: 0, to: this.sizeBytes }, take);
    }
    get soundBytes() {
        return this.#failed ? this.#durableBytes : undefined;
    }
    async cut(lengthBytes) {
        try {
            await this.#file.truncate(lengthBytes);
            await this.#file.sync();
            this.#durableBytes = lengthBytes;
        }
        catch (thrown) {
            throw fileFailure(this.#path, thrown);
        }
    }
    append(text) {
        this.#waiting.push(text);
        if (this.#group === undefined) {
            const group = this.#writing.then(turn).then(() => this.#flush());
            this.#group = group;
            this.#writing = group;
        }
        return this.#group;
    }
    async close() {
        await this.#writing.catch(() => undefined);
        await this.#file.close();
    }
    /** Never runs again after a failure: each group waits for the one before it to succeed. */
    async #flush() {
        const bytes = Buffer.from(this.#waiting.join(''));
        this.#waiting = [];
        this.#group = undefined;
        try {
            await writeAll(this.#file, bytes);
            await this.#file.datasync();
        }
        catch (thrown) {
            this.#failed = true;
            throw thrown;
        }
        this.#durableBytes += bytes.length;
    }
}
