/**
 * How the text in one hole of an event's form is kept: digests, addresses and hashes as bytes instead of digits, times as
 * decimal digits, everything else as it is. The tag says which; a tag below {@link TAGS.long} is the length of a text.
 */
export const TAGS = {
  long: 0x80,
  digest: 0x81,
  address: 0x82,
  hash: 0x83,
  time: 0x84,
  /** The attempt's own step, and the resource that it is for. */
  step: 0x85,
  id: 0x86,
  /** The same as an earlier value, whose offset follows. */
  same: 0x87,
} as const;

/** Longest text that is kept; longer ones make their event one that is not packed. */
export const MAX_TEXT = 0xffff;

/** Writes a text as it is. @returns the index after it. There has to be room for three bytes more than the text has. */
export function writeText(target: Uint8Array, start: number, { bytes, from, to }: Stretch): number {
  const length = to - from;
  let at = start;
  if (length < TAGS.long) target[at++] = length;
  else {
    target[at++] = TAGS.long;
    target[at++] = length >>> 8;
    target[at++] = length & 0xff;
  }
  for (let index = from; index < to; index += 1) target[at++] = bytes[index] ?? 0;
  return at;
}

/** A stretch of bytes. */
interface Stretch {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** How many bytes a packed value has, its tag included. */
export function packedLength(source: Uint8Array, at: number): number {
  const tag = source[at] ?? 0;
  switch (tag) {
    case TAGS.long:
      return 3 + ((source[at + 1] ?? 0) << 8) + (source[at + 2] ?? 0);
    case TAGS.digest:
    case TAGS.hash:
      return 33;
    case TAGS.address:
      return 21;
    case TAGS.time:
      return 10;
    case TAGS.step:
    case TAGS.id:
      return 1;
    case TAGS.same:
      return 5;
    default:
      return 1 + tag;
  }
}

/** The text of a packed value that stands for itself: every tag but `step`, `id` and `same`. */
export function readPacked(source: Buffer, at: number): string {
  const tag = source[at] ?? 0;
  if (tag < TAGS.long) return source.toString('utf8', at + 1, at + 1 + tag);
  const end = at + packedLength(source, at);
  if (tag === TAGS.long) return source.toString('utf8', at + 3, end);
  const digits = source.toString('hex', at + 1, end);
  if (tag === TAGS.time) return timeText(digits);
  return `${tag === TAGS.digest ? 'sha256:' : '0x'}${digits}`;
}

function timeText(digits: string): string {
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`;
  const time = `${digits.slice(8, 10)}:${digits.slice(10, 12)}:${digits.slice(12, 14)}`;
  return `${day}T${time}.${digits.slice(14, 17)}Z`;
}

/** Writes an offset into a store in four bytes. @returns the index after it */
export function writeOffset(chunk: Uint8Array, at: number, offset: number): number {
  chunk[at] = offset >>> 24;
  chunk[at + 1] = offset >>> 16;
  chunk[at + 2] = offset >>> 8;
  chunk[at + 3] = offset;
  return at + 4;
}

/** Reads what {@link writeOffset} wrote. */
export function readOffset(chunk: Uint8Array, at: number): number {
  const high = ((chunk[at] ?? 0) << 24) | ((chunk[at + 1] ?? 0) << 16);
  return (high | ((chunk[at + 2] ?? 0) << 8) | (chunk[at + 3] ?? 0)) >>> 0;
}
