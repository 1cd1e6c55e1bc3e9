import { isUtf8 } from 'node:buffer';
import { hash as digest } from 'node:crypto';
import type { ErrorCode } from '../model/error-codes.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, type Json } from '../model/json.js';
import { isEventType, misshapenMember } from './event-shape.js';
import { EVENT_VERSION, type JournalEvent } from './event.js';
import { CHAIN_START, HASH_DIGITS, MIDDLE, OPENING } from './record.js';

const NEWLINE = 0x0a;
const CLOSING = 0x7d;
const EVENT_OFFSET = OPENING.length + HASH_DIGITS + MIDDLE.length;
const OPENING_BYTES = new TextEncoder().encode(OPENING);
const MIDDLE_BYTES = new TextEncoder().encode(MIDDLE);

/** Bytes that are looked at together. */
const PIECE = 1 << 20;

/** What takes the events of a journal: the state of a lineage, or a list. */
export interface EventSink {
  /** Takes an event from its text, where it can; see `LineageState.applyText`. */
  applyText(bytes: Uint8Array, start: number, end: number): 'applied' | 'unknown' | 'unlike';
  apply(event: JournalEvent): void;
  learn(event: JournalEvent, json: string): void;
}

/**
 * Reads a journal piece by piece, so that a long one is never in memory whole, and hands its events on, oldest first.
 *
 * Only a newline makes a record: an unterminated end is a write that a crash cut short, and none of it counts,
 * even if it looks whole. Anything else that is wrong means damage or editing.
 */
export class JournalReader {
  readonly #sink: EventSink;
  readonly #checksChain: boolean;
  /** Bytes of records that are not whole yet. It is written to: the hash before a record goes in front of its event. */
  #buffer = Buffer.alloc(0);
  #have = 0;
  #validBytes = 0;
  #lastRecord = 0;
  /** The hash of the last record, in ASCII; empty before the first. */
  #hash = new Uint8Array();
  /** Takes the next one. */
  #spare = new Uint8Array(HASH_DIGITS);

  /** @param checks `events`: somebody else checks text and hash chain of the same bytes, and nothing is believed before */
  constructor(sink: EventSink, checks: 'all' | 'events' = 'all') {
    this.#sink = sink;
    this.#checksChain = checks === 'all';
  }

  /** The end of the hash chain, from which appending goes on. */
  get hash(): string {
    return this.#hash.length === 0 ? CHAIN_START : Buffer.from(this.#hash).toString('latin1');
  }

  /** Length of the whole records; what stands after them is a torn tail, to be cut before anything is appended. */
  get validBytes(): number {
    return this.#validBytes;
  }

  /** Where the last whole record starts. */
  get lastRecord(): number {
    return this.#lastRecord;
  }

  /**
   * Reads on.
   *
   * @throws JOURNAL_CORRUPT with the byte where the bad record starts; JOURNAL_NEWER for events of a later version
   */
  read(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      this.#makeRoom(piece.length);
      this.#buffer.set(piece, this.#have);
      this.#have += piece.length;
      this.#readRecords();
    }
  }

  #makeRoom(lengthBytes: number): void {
    if (this.#have + lengthBytes <= this.#buffer.length) return;
    const larger = Buffer.alloc(2 * (this.#have + lengthBytes));
    this.#buffer.copy(larger, 0, 0, this.#have);
    this.#buffer = larger;
  }

  #readRecords(): void {
    const whole = this.#buffer.subarray(0, this.#have).lastIndexOf(NEWLINE) + 1;
    const first = this.#validBytes;
    // Strict: two texts that differ must not have one hash because both were repaired.
    const isText = !this.#checksChain || isUtf8(this.#buffer.subarray(0, whole));
    for (let start = 0; start < whole;) {
      const end = this.#buffer.indexOf(NEWLINE, start);
      if (!isText && !isUtf8(this.#buffer.subarray(start, end)))
        throw damaged(first + start, 'it is not UTF-8');
      this.#readRecord(start, end, first + start);
      this.#lastRecord = first + start;
      start = end + 1;
      this.#validBytes = first + start;
    }
    if (!this.#checksChain && whole > 0) this.#claim(this.#lastRecord - first + OPENING.length);
    this.#buffer.copy(this.#buffer, 0, whole, this.#have);
    this.#have -= whole;
  }

  /** @param place where the record starts in the journal, for errors */
  #readRecord(start: number, end: number, place: number): void {
    const isFramed =
      this.#isAt(OPENING_BYTES, start) &&
      this.#isAt(MIDDLE_BYTES, start + OPENING.length + HASH_DIGITS) &&
      end - 1 >= start + EVENT_OFFSET &&
      this.#buffer[end - 1] === CLOSING;
    if (!isFramed) throw damaged(place, 'it is not a record');
    const from = start + EVENT_OFFSET;
    if (this.#checksChain && !this.#follows(start + OPENING.length, from, end - 1))
      throw damaged(place, 'its hash does not follow from the record before');
    const done = this.#sink.applyText(this.#buffer, from, end - 1);
    if (done !== 'applied') {
      const json = this.#buffer.toString('utf8', from, end - 1);
      const event = parseEvent(json, place);
      this.#sink.apply(event);
      if (done === 'unlike') this.#sink.learn(event, json);
    }
  }

  /** Takes a record's hash as it stands there. */
  #claim(at: number): void {
    this.#hash = Uint8Array.from(this.#buffer.subarray(at, at + HASH_DIGITS));
  }

  #isAt(wanted: Uint8Array, at: number): boolean {
    for (let index = 0; index < wanted.length; index += 1)
      if (this.#buffer[at + index] !== wanted[index]) return false;
    return true;
  }

  /** True when the claimed hash of a record is over the hash before and the event's text; it is the last one then. */
  #follows(claimedAt: number, from: number, to: number): boolean {
    const buffer = this.#buffer;
    const before = this.#hash;
    const claimed = this.#spare;
    for (let index = 0; index < HASH_DIGITS; index += 1) claimed[index] = buffer[claimedAt + index] ?? 0;
    const start = from - before.length;
    for (let index = 0; index < before.length; index += 1) buffer[start + index] = before[index] ?? 0;
    const text = new Uint8Array(buffer.buffer, buffer.byteOffset + start, to - start);
    const found = digest('sha256', text, 'hex');
    for (let index = 0; index < HASH_DIGITS; index += 1)
      if (found.charCodeAt(index) !== claimed[index]) return false;
    this.#spare = before.length === HASH_DIGITS ? before : new Uint8Array(HASH_DIGITS);
    this.#hash = claimed;
    return true;
  }
}

function parseEvent(json: string, place: number): JournalEvent {
  const event = parseJson(json, place);
  if (!isJsonObject(event)) throw damaged(place, 'it holds no event');
  const type = event['type'];
  if (!isEventType(type))
    throw damaged(place, 'this version does not know its type of event', 'JOURNAL_NEWER');
  if (type === 'lineage-started' && Number(event['version']) > EVENT_VERSION)
    throw damaged(place, `its events have version ${Number(event['version'])}`, 'JOURNAL_NEWER');
  const wrong = misshapenMember(type, event);
  if (wrong !== undefined) throw damaged(place, `\`${wrong}\` is missing or malformed`);
  return event as unknown as JournalEvent;
}

function parseJson(json: string, place: number): Json {
  try {
    return JSON.parse(json) as Json;
  } catch {
    throw damaged(place, 'it is not JSON');
  }
}

function damaged(byte: number, why: string, code: ErrorCode = 'JOURNAL_CORRUPT'): WindlassError {
  return new WindlassError(code, `The journal's record at byte ${byte} cannot be used: ${why}.`);
}
