import { TAGS } from './packed-value.js';

/** Most bytes that the digits of a text are packed to. */
export const MAX_PACKED = 32;

interface Digits {
  readonly tag: number;
  /** Of the text. */
  readonly length: number;
  /** What it begins with. */
  readonly prefix: Uint8Array;
  /** Bytes that its digits make. */
  readonly bytes: number;
}

const UTF8 = new TextEncoder();
const HEX_PREFIX = UTF8.encode('0x');
const TIME_PATTERN = UTF8.encode('0000-00-00T00:00:00.000Z');
const ZERO = 0x30;
const NINE = 0x39;

const DIGEST: Digits = { tag: TAGS.digest, length: 71, prefix: UTF8.encode('sha256:'), bytes: 32 };
const HASH: Digits = { tag: TAGS.hash, length: 66, prefix: HEX_PREFIX, bytes: 32 };
const ADDRESS: Digits = { tag: TAGS.address, length: 42, prefix: HEX_PREFIX, bytes: 20 };
const TIME: Digits = { tag: TAGS.time, length: TIME_PATTERN.length, prefix: new Uint8Array(), bytes: 9 };
const KINDS: readonly Digits[] = [DIGEST, HASH, ADDRESS, TIME];

/** Kinds of texts that are mostly digits, by tag. */
const BY_TAG: readonly (Digits | undefined)[] = Array.from({ length: 256 }, (_, tag) =>
  KINDS.find((kind) => kind.tag === tag),
);

const NO_HEX = 0xff;
const HEX_CHARS = '0123456789abcdef';

/** Value of a lower-case hex digit by its byte. */
const HEX = new Uint8Array(256).fill(NO_HEX);
for (let value = 0; value < 16; value += 1) HEX[HEX_CHARS.charCodeAt(value)] = value;

/** The tag of a text of such a length, were it mostly digits; 0 for none. */
export function tagOfLength(length: number): number {
  for (const kind of KINDS) if (kind.length === length) return kind.tag;
  return 0;
}

/** Length of a text with a tag that {@link tagOfLength} gives. */
export function lengthOfTag(tag: number): number {
  return BY_TAG[tag]?.length ?? 0;
}

/** How many bytes its digits are packed to. */
export function packedBytes(tag: number): number {
  return BY_TAG[tag]?.bytes ?? 0;
}

/** Packs the digits of texts. */
export class DigitPacker {
  /** Takes the packed digits: {@link MAX_PACKED} bytes for each place. */
  readonly packed: Uint8Array;

  constructor(places: number) {
    this.packed = new Uint8Array(places * MAX_PACKED);
  }

  /** Packs the digits of a text whose length is that of its tag. @returns false when it is no such text */
  pack(tag: number, bytes: Uint8Array, from: number, place: number): boolean {
    const kind = BY_TAG[tag];
    if (kind === undefined) return false;
    const at = place * MAX_PACKED;
    if (kind === TIME) return this.#packTime(bytes, from, at);
    const { prefix, length } = kind;
    for (let index = 0; index < prefix.length; index += 1)
      if (bytes[from + index] !== prefix[index]) return false;
    return this.#packHex(bytes, from + prefix.length, from + length, at);
  }

  #packHex(bytes: Uint8Array, from: number, to: number, start: number): boolean {
    const { packed } = this;
    let wrong = 0;
    let at = start;
    for (let index = from; index < to; index += 2) {
      const high = HEX[bytes[index] ?? 0] ?? NO_HEX;
      const low = HEX[bytes[index + 1] ?? 0] ?? NO_HEX;
      wrong |= high | low;
      packed[at++] = (high << 4) | low;
    }
    return wrong <= 15;
  }

  /** Seventeen digits, two to a byte. */
  #packTime(bytes: Uint8Array, from: number, start: number): boolean {
    const { packed } = this;
    let at = start;
    let high = -1;
    for (let index = 0; index < TIME_PATTERN.length; index += 1) {
      const byte = bytes[from + index] ?? 0;
      const wanted = TIME_PATTERN[index] ?? 0;
      if (wanted !== ZERO) {
        if (byte !== wanted) return false;
        continue;
      }
      if (byte < ZERO || byte > NINE) return false;
      if (high < 0) high = byte - ZERO;
      else {
        packed[at++] = (high << 4) | (byte - ZERO);
        high = -1;
      }
    }
    packed[at] = high << 4;
    return true;
  }
}
