const CHUNK_BITS = 20;
/** Longest piece that a store keeps together. */
export const MAX_PIECE = 1 << CHUNK_BITS;
const MASK = MAX_PIECE - 1;
/** The first chunk begins small: most journals are short. */
const FIRST_BYTES = 1 << 12;
/**
 * Bytes that only grow in number, outside the heap of objects: a hundred thousand attempts kept as objects would take a
 * gigabyte. Offsets count from 1, so that 0 can stand for none; a piece lies in one chunk.
 */
export class ByteStore {
    #chunks = [];
    #end = MASK + 1;
    /** Room for a piece of at most so many bytes, at {@link end}. What is not {@link keep kept} is used again. */
    room(lengthBytes) {
        if ((this.#end & MASK) + lengthBytes > MAX_PIECE || this.#end >>> CHUNK_BITS > this.#chunks.length) {
            this.#chunks.push(Buffer.alloc(this.#chunks.length === 0 ? FIRST_BYTES : MAX_PIECE));
            this.#end = this.#chunks.length * MAX_PIECE;
        }
        const chunk = this.chunkOf(this.#end);
        const wanted = (this.#end & MASK) + lengthBytes;
        return wanted > chunk.length ? this.#grow(chunk, wanted) : chunk;
    }
    #grow(chunk, wantedBytes) {
        const larger = Buffer.alloc(Math.min(MAX_PIECE, 2 * wantedBytes));
        chunk.copy(larger);
        this.#chunks[this.#chunks.length - 1] = larger;
        return larger;
    }
    /** Where the next piece begins. */
    get end() {
        return this.#end;
    }
    /** Keeps the bytes from {@link end} to the given offset within the chunk. */
    keep(toIndex) {
        this.#end += toIndex - (this.#end & MASK);
    }
    /** The chunk that an offset lies in. */
    chunkOf(offset) {
        return this.#chunks[(offset >>> CHUNK_BITS) - 1] ?? EMPTY;
    }
    /** The index of an offset within its chunk. */
    indexOf(offset) {
        return offset & MASK;
    }
    /** Keeps a copy of bytes. @returns where it is */
    put(bytes, from, to) {
        const chunk = this.room(to - from);
        const offset = this.#end;
        const index = offset & MASK;
        for (let at = from; at < to; at += 1)
            chunk[index + at - from] = bytes[at] ?? 0;
        this.keep(index + to - from);
        return offset;
    }
}
const EMPTY = Buffer.alloc(0);
